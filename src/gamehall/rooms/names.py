"""Which names a room accepts, who has which, and how they are spelt in ASCII."""

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
from gamehall.rooms.room import NOBODY, Peer

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
"""How letters are spelt that are not just ASCII letters with marks; capitals follow from it."""

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
    "\U000e0100-\U000e01ef]"
)
"""Letters and marks that cannot be seen, although Unicode counts them as printable.

With one of them a name would look like that of another player, or like none.
"""


def spell_in_ascii(name: str) -> str:
    """Return the name in ASCII, spelt so that people can read it; "" if no letter is left.

    Latin, Greek and Cyrillic letters have a spelling. Everything else is left out.
    """
    # Again after NFKD: that parts letters from their marks, such as an o with stroke and acute.
    spelt = normalize("NFC", name).translate(SPELLINGS)
    spelt = normalize("NFKD", spelt).translate(SPELLINGS)
    kept = "".join(sign for sign in spelt if sign.isascii() and sign.isprintable())
    words = " ".join(kept.split()).strip(" -")
    if not any(sign.isalpha() for sign in words):
        return ""
    return words.upper() if name.isupper() else words


LONGEST = 64
"""How many characters a name may have that no wire has to carry."""


class NameRules(msgspec.Struct, frozen=True):
    """The properties that a name must have: its length, and not to be one of the reserved."""

    shortest: int = 1
    longest: int = 32
    reserved: tuple[str, ...] = RESERVED


def displayable(name: str) -> str:
    """Return a name that any client has chosen, without what could mislead or cannot be seen."""
    return "".join(sign if sign.isprintable() else "?" for sign in INVISIBLE.sub("?", name))


def are_same(one: str, other: str) -> bool:
    """Return True for names that differ only in letter case or in how Unicode writes letters."""
    return _key(one) == _key(other)


def shown_names(signed_up: Sequence[str], internal: Sequence[str]) -> list[str]:
    """Return what people see players called who have these internal names on the wires.

    That is the name with which a player signed up, unless another has signed up with the same.
    """
    shown = [displayable(name) for name in signed_up]
    times = Counter(shown)
    return [
        name if name and times[name] == 1 else alias
        for name, alias in zip(shown, internal, strict=True)
    ]


class Names:
    """The names in use, and the aliases of those that are not ASCII.

    No two of all these are the same, and those that differ only in letter case, or in how Unicode
    writes the same letters, count as the same.
    """

    def __init__(self, rules: NameRules) -> None:
        self._rules = rules
        self._reserved = {_key(name) for name in rules.reserved}
        self._owners: dict[str, Peer] = {}
        """Who has a name or an alias, by its key."""

    def refusal(self, name: str, peer: Peer, any_script: bool = False) -> Refusal | None:
        """Why `peer` may not have this name, None if it may; the first reason in this order.

        The properties of the name come before the state of the room (T-Q22).
        `any_script`: whether no wire has to carry the name. It may have characters of any script,
        and the lengths that a wire allows do not matter: its alias has one of them.
        """
        if len(name) < (1 if any_script else self._rules.shortest):
            return Refusal.NAME_TOO_SHORT
        if len(name) > (max(LONGEST, self._rules.longest) if any_script else self._rules.longest):
            return Refusal.NAME_TOO_LONG
        if not (_is_clean(name) if any_script else _is_plain(name)):
            return Refusal.NAME_HAS_INVALID_CHARACTERS
        # Wires show the spelling of a name, so that must not be reserved either.
        spelt = name if name.isascii() else spell_in_ascii(name)
        if not self._reserved.isdisjoint((_key(name), _key(spelt))):
            return Refusal.NAME_NOT_ALLOWED
        if not self._may_have(name, peer):
            return Refusal.NAME_TAKEN
        return None

    def alias(self, name: str, peer: Peer) -> str:
        """Return the free alias of a name for `peer`; "" if every wire can carry the name.

        That is the name spelt in ASCII or, if it cannot be spelt, `player` and a number. It is cut
        to the longest name that is allowed, unless that has no room for the number, and a name that
        is too short gets a number.
        """
        shortest, longest = self._rules.shortest, self._rules.longest
        if _is_plain(name) and shortest <= len(name) <= longest:
            return ""
        spelt = spell_in_ascii(name)
        # With so many digits any name is long enough.
        for number in count(1 if len(spelt or "player") >= shortest else 10**shortest):
            ending = "" if spelt and number == 1 else f"-{number}"
            most = max(1, self._rules.longest - len(ending))
            alias = (spelt or "player")[:most].rstrip(" -") + ending
            if _key(alias) not in self._reserved and self._may_have(alias, peer):
                break
        return alias

    def another(self, name: str, peer: Peer) -> str:
        """Return a free name for `peer` like one that is taken: `Ann 2` instead of `Ann`."""
        names = (f"{name[: LONGEST - 12].rstrip(' ')} {number}" for number in count(2))
        return next(one for one in names if self._may_have(one, peer))

    def give(self, name: str, peer: Peer, alias: str = "") -> None:
        """`name` is the peer's from now on, and so is its alias if it has one."""
        self._owners[_key(name)] = peer
        if alias:
            self._owners[_key(alias)] = peer

    def free(self, name: str, peer: Peer, alias: str = "") -> None:
        """The peer gives up `name` and its alias, as far as it has them."""
        for key in {_key(name), _key(alias or name)}:
            if self._owners.get(key) == peer:
                del self._owners[key]

    def _may_have(self, name: str, peer: Peer) -> bool:
        return self._owners.get(_key(name), peer) == peer


def why_not(name: str, policy: ClientPolicy) -> Refusal | None:
    """Return why a name is not allowed where several may have the same; None if it is."""
    return Names(NameRules()).refusal(name, NOBODY, policy.native)


def _is_plain(name: str) -> bool:
    """Return True for printable ASCII without a blank at either end (T-Q19)."""
    return name.isascii() and name.isprintable() and name == name.strip(" ")


def _is_clean(name: str) -> bool:
    """Return True if a name of any script can be shown without misleading anybody.

    Control, format, private and unassigned characters, surrogates and all white space but the
    blank are not printable. A mark needs a letter before it, and a blank a word on both sides.
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
    """Return what is the same for all names that count as one (NFKC and case folding)."""
    if name.isascii():
        return name.casefold()
    # Each of the two may give something that the other has to treat again.
    folded = normalize("NFKC", normalize("NFD", name).casefold())
    return normalize("NFKC", folded.casefold())


def internal_names(signed_up: Sequence[str]) -> list[str]:
    """A name for each player, given those they signed up with in the order of arrival.

    A name that consists of lower-case letters and is nobody else's stays as it is. Of two alike
    the first keeps it; the others get letters appended, until what comes out is neither anybody's
    own name nor given to anybody (S1-Q05).
    """
    own = [_letters_of(name) for name in signed_up]
    taken = set(own)
    # Whoever signed up in just these letters goes before those whose name had to be reduced.
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
    """The letters of a name, spelt in ASCII, in lower case; `player` if it has none."""
    spelt = spell_in_ascii(name).lower()
    return "".join(letter for letter in spelt if letter in ascii_lowercase) or "player"


def _endings() -> Iterator[str]:
    """a, b, ..., z, aa, ab, ..."""
    for length in count(1):
        for letters in product(ascii_lowercase, repeat=length):
            yield "".join(letters)
