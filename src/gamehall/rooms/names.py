"""The names that a room accepts, who uses them, and their ASCII aliases."""

# ruff: noqa: RUF001 - the Greek and Cyrillic letters are meant

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count, product
from string import ascii_lowercase
from unicodedata import category, is_normalized, normalize

import msgspec

from gamehall.rooms.notices import Refusal
from gamehall.rooms.requests import ClientPolicy
from gamehall.rooms.room import NO_PEER, Peer

RESERVED = ("admin", "administrator", "server", "system", "root", "moderator")

LATIN = (
    "ä:ae ö:oe ü:ue ß:ss ẞ:ss æ:ae ø:oe å:aa œ:oe đ:d ð:d ł:l þ:th ħ:h ı:i ĳ:ij ŋ:ng ŧ:t ƒ:f ə:e"
)
GREEK = (
    "α:a β:v γ:g δ:d ε:e ζ:z η:i θ:th ι:i κ:k λ:l μ:m ν:n ξ:x ο:o π:p ρ:r σ:s ς:s τ:t υ:y φ:f χ:ch"
    " ψ:ps ω:o"
)
CYRILLIC = (
    "а:a б:b в:v г:g д:d е:e ё:yo ж:zh з:z и:i й:y к:k л:l м:m н:n о:o п:p р:r с:s т:t у:u ф:f"
    " х:kh ц:ts ч:ch ш:sh щ:shch ъ: ы:y ь: э:e ю:yu я:ya є:ye і:i ї:yi ґ:g ў:u ј:j љ:lj њ:nj ђ:dj"
    " ћ:c џ:dz"
)
"""The spelling of letters that are not ASCII letters with marks; capitals follow from it."""

_PAIRS = [pair.split(":") for pair in f"{LATIN} {GREEK} {CYRILLIC}".split()]
SPELLINGS = str.maketrans(
    dict(_PAIRS)
    | {
        letter.upper(): spelling.capitalize()
        for letter, spelling in _PAIRS
        if len(letter.upper()) == 1
    }
)

INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\u2d7f\ufffc\U00016fe4\U0001107f\U0001bc9d\U0001d159\U000e0100-\U000e01ef]"
    # Marks that join letters of one script can only be seen between letters of that script.
    "|(?<![\u1000-\u109f])\u1039|\u1039(?![\u1000-\u109f])"
    "|(?<![\u1780-\u17ff])\u17d2|\u17d2(?![\u1780-\u17ff])"
    "|(?<![\u1a20-\u1aad])\u1a60|\u1a60(?![\u1a20-\u1aad])"
)
"""Letters and marks that cannot be seen, although Unicode counts them as printable.

A name with one of them could look like another player's name, or like no name.
"""


def spell_in_ascii(name: str) -> str:
    """Return a readable spelling of the name in ASCII; "" if no letter is left.

    Latin, Greek and Cyrillic letters have a spelling. Everything else is left out.
    """
    # NFKD separates letters from their marks, so that more of them have a spelling.
    spelt = normalize("NFC", name).translate(SPELLINGS)
    spelt = normalize("NFKD", spelt).translate(SPELLINGS)
    kept = "".join(sign for sign in spelt if sign.isascii() and sign.isprintable())
    words = " ".join(kept.split()).strip(" -")
    if not any(sign.isalpha() for sign in words):
        return ""
    return words.upper() if name.isupper() else words


LONGEST = 64
"""The maximum length of a native client's name."""


class NameRules(msgspec.Struct, frozen=True):
    """The allowed lengths of a name, and the names that are reserved."""

    shortest: int = 1
    longest: int = 32
    reserved: tuple[str, ...] = RESERVED


def displayable(name: str) -> str:
    """Return a name with `?` instead of invisible characters, which could mislead people."""
    return "".join(sign if sign.isprintable() else "?" for sign in INVISIBLE.sub("?", name))


def are_same(one: str, other: str) -> bool:
    """Return True for names that differ only in letter case or in how Unicode writes letters."""
    return _key(one) == _key(other)


def shown_names(signed_up: Sequence[str], internal: Sequence[str]) -> list[str]:
    """Return the names that people are shown, for players with these internal names on the wires.

    A player is shown with the name that it signed up with, unless another signed up with the same.
    """
    shown = [displayable(name) for name in signed_up]
    times = Counter(shown)
    return [
        name if name and times[name] == 1 else alias
        for name, alias in zip(shown, internal, strict=True)
    ]


class Names:
    """The names in use, and the aliases of those that are not ASCII. All of them are different.

    Names that differ only in letter case, or in how Unicode writes the same letters, count as the
    same.
    """

    def __init__(self, rules: NameRules) -> None:
        self._rules = rules
        self._reserved = {_key(name) for name in rules.reserved}
        self._owners: dict[str, Peer] = {}
        """The owner of each name and alias, by its key."""

    def refusal(self, name: str, peer: Peer, any_script: bool = False) -> Refusal | None:
        """Return why `peer` may not have this name, None if it may.

        The properties of the name are checked before the names in use (T-Q22).

        Args:
            name: the name to check.
            peer: the client that wants it.
            any_script: whether the name may have characters of any script. The wire's limits on
                length do not apply to such a name: its alias keeps them.
        """
        if len(name) < (1 if any_script else self._rules.shortest):
            return Refusal.NAME_TOO_SHORT
        if len(name) > (max(LONGEST, self._rules.longest) if any_script else self._rules.longest):
            return Refusal.NAME_TOO_LONG
        if not (_is_clean(name) if any_script else _is_plain(name)):
            return Refusal.NAME_HAS_INVALID_CHARACTERS
        # Wires show the spelling of a name, so the spelling must not be reserved either.
        spelt = name if name.isascii() else spell_in_ascii(name)
        if not self._reserved.isdisjoint((_key(name), _key(spelt))):
            return Refusal.NAME_NOT_ALLOWED
        if not self._may_have(name, peer):
            return Refusal.NAME_TAKEN
        return None

    def alias(self, name: str, peer: Peer) -> str:
        """Return a free alias of a name for `peer`; "" if every wire can carry the name.

        The alias is the name spelt in ASCII, cut to the allowed length or, if it cannot be spelt,
        `player` and a number. A number is also added to a name that is taken or too short.
        """
        shortest, longest = self._rules.shortest, self._rules.longest
        if _is_plain(name) and shortest <= len(name) <= longest:
            return ""
        spelt = spell_in_ascii(name)
        # With a number of this many digits any name is long enough.
        for number in count(1 if len(spelt or "player") >= shortest else 10**shortest):
            ending = "" if spelt and number == 1 else f"-{number}"
            most = max(1, self._rules.longest - len(ending))
            alias = (spelt or "player")[:most].rstrip(" -") + ending
            if _key(alias) not in self._reserved and self._may_have(alias, peer):
                break
        return alias

    def with_number(self, name: str, peer: Peer) -> str:
        """Return a free name for `peer` similar to a taken one: `Ann 2` instead of `Ann`."""
        names = (f"{name[: LONGEST - 12].rstrip(' ')} {number}" for number in count(2))
        return next(one for one in names if self._may_have(one, peer))

    def take(self, name: str, peer: Peer, alias: str = "") -> None:
        """Make `peer` the owner of a name and its alias."""
        self._owners[_key(name)] = peer
        if alias:
            self._owners[_key(alias)] = peer

    def release(self, name: str, peer: Peer, alias: str = "") -> None:
        """Free a name and its alias, if `peer` owns them."""
        for key in {_key(name), _key(alias or name)}:
            if self._owners.get(key) == peer:
                del self._owners[key]

    def _may_have(self, name: str, peer: Peer) -> bool:
        return self._owners.get(_key(name), peer) == peer


def refuse_name(name: str, policy: ClientPolicy) -> Refusal | None:
    """Return why a name is not allowed in rooms where names need not differ; None if it is."""
    return Names(NameRules()).refusal(name, NO_PEER, policy.native)


def _is_plain(name: str) -> bool:
    """Return True for printable ASCII without a space at either end (T-Q19)."""
    return name.isascii() and name.isprintable() and name == name.strip(" ")


def _is_clean(name: str) -> bool:
    """Return True if a name of any script can be shown without misleading people.

    Control, format, private and unassigned characters, surrogates and all white space but the
    space are not printable. A mark needs a letter before it, and a space a word on both sides.
    """
    words = name.split(" ")
    return (
        name.isprintable()
        and is_normalized("NFC", name)
        and not INVISIBLE.search(name)
        and all(words)
        and not any(category(word[0]).startswith("M") for word in words)
    )


def _key(name: str) -> str:
    """Return a key that is equal for names that count as the same (NFKC and case folding)."""
    if name.isascii():
        return name.casefold()
    # Each of the two may give characters that the other changes again.
    folded = normalize("NFKC", normalize("NFD", name).casefold())
    return normalize("NFKC", folded.casefold())


def internal_names(signed_up: Sequence[str]) -> list[str]:
    """Return a unique name of lower-case letters for each player (S1-Q05).

    `signed_up` are the players' own names, in the order of arrival. The lower-case letters of a
    name are kept if they are unique. Of several alike, one player keeps them; the others get
    letters appended that make their names unique.
    """
    own = [_letters_of(name) for name in signed_up]
    taken = set(own)
    # A player who signed up with exactly these letters keeps them before others do.
    order = sorted(range(len(own)), key=lambda player: own[player] != signed_up[player])
    kept: set[str] = set()
    given: dict[int, str] = {}
    for player in order:
        name = own[player]
        if name in kept:
            name = next(name + ending for ending in _endings() if name + ending not in taken)
            taken.add(name)
        else:
            kept.add(name)
        given[player] = name
    return [given[player] for player in range(len(own))]


def _letters_of(name: str) -> str:
    """Return the letters of a name, spelt in ASCII, in lower case; `player` if it has none."""
    spelt = spell_in_ascii(name).lower()
    return "".join(letter for letter in spelt if letter in ascii_lowercase) or "player"


def _endings() -> Iterator[str]:
    """Yield a, b, ..., z, aa, ab, ..."""
    for length in count(1):
        for letters in product(ascii_lowercase, repeat=length):
            yield "".join(letters)
