"""Names: which are accepted, who uses them, and their ASCII aliases."""

# ruff: noqa: RUF001 - the letters that look like others are meant

from unicodedata import normalize

import pytest

from gamehall.rooms.names import INVISIBLE, NameRules, Names, spell_in_ascii
from gamehall.rooms.notices import Refusal
from gamehall.rooms.room import Peer

ANN, BOB, CAT = Peer(1), Peer(2), Peer(3)


@pytest.mark.parametrize(
    ("name", "refusal"),
    [
        ("", Refusal.NAME_TOO_SHORT),
        ("a", None),
        ("a" * 32, None),
        ("a" * 33, Refusal.NAME_TOO_LONG),
        ("~ !", None),
        (" a", Refusal.NAME_HAS_INVALID_CHARACTERS),
        ("a ", Refusal.NAME_HAS_INVALID_CHARACTERS),
        ("a\tb", Refusal.NAME_HAS_INVALID_CHARACTERS),
        ("\x7f", Refusal.NAME_HAS_INVALID_CHARACTERS),
        ("é", Refusal.NAME_HAS_INVALID_CHARACTERS),
        ("ADMIN", Refusal.NAME_NOT_ALLOWED),
        ("red", None),
    ],
)
def test_T_Q18_T_Q19_T_Q21_properties_of_a_name(name: str, refusal: Refusal | None) -> None:
    assert Names(NameRules()).refusal(name, ANN) is refusal


def test_T_Q20_names_that_differ_in_case_are_the_same() -> None:
    names = Names(NameRules())
    names.take("Ann", ANN)
    assert names.refusal("aNN", BOB) is Refusal.NAME_TAKEN
    assert names.refusal("ANN", ANN) is None, "one's own name is not taken"


def test_T_21_only_the_owner_releases_a_name() -> None:
    names = Names(NameRules())
    names.take("ann", ANN)
    names.release("ann", BOB)
    assert names.refusal("ann", BOB) is Refusal.NAME_TAKEN
    names.release("Ann", ANN)
    assert names.refusal("ann", BOB) is None


# Names of native clients, which may have any script.


SPELLINGS = {
    "Ann Lee": "Ann Lee",
    "Jürgen": "Juergen",
    "JÜRGEN": "JUERGEN",
    "Ørsted": "Oersted",
    "Åse Ǿ": "Aase Oe",
    "Łukasz": "Lukasz",
    "Þórður": "Thordur",
    "Strauß": "Strauss",
    "STRAẞE": "STRASSE",
    "Nguyễn": "Nguyen",
    "Çağrı": "Cagri",
    "Дмитрий": "Dmitriy",
    "Ольга": "Olga",
    "Γιώργος": "Giorgos",
    "Ｗｉｄｅ": "Wide",
    "田中 Taro": "Taro",
    "Q\u0301\u0302": "Q",
    "田中": "",
    "محمد": "",
    "सीता": "",
    "한글": "",
    "🎲": "",
    "Ⅳ.": "IV.",
    "١٢٣ 7": "",
}


@pytest.mark.parametrize(("name", "spelling"), SPELLINGS.items())
def test_a_name_of_any_script_is_accepted_and_spelt_in_ascii(name: str, spelling: str) -> None:
    names = Names(NameRules())
    assert names.refusal(name, ANN, any_script=True) is None
    assert spell_in_ascii(name) == spelling
    alias = "" if name.isascii() else spelling or "player-1"
    assert names.alias(name, ANN) == alias


@pytest.mark.parametrize("name", [name for name in SPELLINGS if not name.isascii()])
def test_T_Q19_a_wire_has_names_of_printable_ASCII_only(name: str) -> None:
    assert Names(NameRules()).refusal(name, ANN) is Refusal.NAME_HAS_INVALID_CHARACTERS


@pytest.mark.parametrize(
    ("name", "refusal"),
    [
        ("", Refusal.NAME_TOO_SHORT),
        ("田" * 32, None),
        ("田" * 65, Refusal.NAME_TOO_LONG),
        ("🎲" * 65, Refusal.NAME_TOO_LONG),
        *(
            (name, Refusal.NAME_HAS_INVALID_CHARACTERS)
            for name in (
                " Jürgen",
                "Jürgen ",
                "Jürgen  Klein",
                "Jürgen\u00a0Klein",
                "田中\u3000太郎",
                "Jür\tgen",
                "Jürgen\n",
                "Jürgen\x00",
                "Jür\x85gen",
                "\u202enegrüJ",
                "\u2066Jürgen",
                "Jür\u200bgen",
                "Jür\u200dgen",
                "Jür\u00adgen",
                "\ufeffJürgen",
                "Jürgen\ud800",
                "Jürgen\ue000",
                "Jürgen\U0010ffff",
                "\u0301",
                "\u0301Jürgen",
                "Jürgen \u0301",
                normalize("NFD", "Jürgen"),
                "ann\u034f",
                "ann\ufe0f",
                "\u3164",
                "\u2800",
            )
        ),
        *(
            (name, Refusal.NAME_NOT_ALLOWED)
            for name in ("Admin", "ＡＤＭＩＮ", "ⓡⓞⓞⓣ", "ádmin", "аdmin", "şystem", "root🎲")
        ),
        ("-admin-", None),
    ],
    ids=ascii,
)
def test_properties_of_a_name_of_any_script(name: str, refusal: Refusal | None) -> None:
    assert Names(NameRules()).refusal(name, ANN, any_script=True) is refusal


def test_the_list_of_invisible_characters_contains_only_those_that_python_calls_printable() -> None:
    hidden = [chr(code) for code in range(0x110000) if INVISIBLE.match(chr(code))]
    assert len(hidden) == 277
    assert all(sign.isprintable() for sign in hidden)


def test_a_joiner_of_letters_is_allowed_between_letters_of_its_script_only() -> None:
    names = Names(NameRules())
    for name in ("ကမ္ဘာ", "ខ្មែរ"):
        assert names.refusal(name, ANN, any_script=True) is None
    for name in ("an\u1039na", "anna\u17d2", "an\u1a60na"):
        assert names.refusal(name, ANN, any_script=True) is Refusal.NAME_HAS_INVALID_CHARACTERS


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Jürgen", "JÜRGEN"),
        ("Jürgen", normalize("NFD", "jürgen")),
        ("Strauß", "STRAUSS"),
        ("ann", "Ａｎｎ"),
        ("Σίσυφος", "ΣΊΣΥΦΟΣ"),
        ("ﬁn", "FIN"),
    ],
    ids=ascii,
)
def test_names_that_read_the_same_are_the_same(one: str, other: str) -> None:
    for first, second in ((one, other), (other, one)):
        names = Names(NameRules())
        names.take(first, ANN, names.alias(first, ANN))
        assert not names._may_have(second, BOB)
        assert names._may_have(second, ANN)


def test_names_and_aliases_of_different_players_never_collide() -> None:
    names = Names(NameRules())
    names.take("Jürgen", ANN, names.alias("Jürgen", ANN))
    assert names.refusal("juergen", BOB) is Refusal.NAME_TAKEN
    assert names.refusal("juergen", ANN) is None, "one's own alias is not taken"
    names.release("Jürgen", ANN, "Juergen")
    names.take("juergen", BOB)
    assert names.refusal("Jürgen", ANN, any_script=True) is None
    assert names.alias("Jürgen", ANN) == "Juergen-2"


def test_aliases_are_numbered_with_the_smallest_free_number() -> None:
    names = Names(NameRules())
    given = {}
    for number, name in enumerate(["田中", "山田", "Jürgen", "Jùergen", "佐藤"]):
        given[name] = names.alias(name, Peer(number))
        names.take(name, Peer(number), given[name])
    assert list(given.values()) == ["player-1", "player-2", "Juergen", "Juergen-2", "player-3"]
    names.release("山田", Peer(1), "player-2")
    names.take("player-4", CAT)
    assert names.alias("高橋", BOB) == "player-2"
    names.take("高橋", BOB, "player-2")
    assert names.alias("伊藤", ANN) == "player-5", "player-4 is a name"


@pytest.mark.parametrize("longest", [1, 2, 4, 8, 32])
def test_an_alias_is_not_longer_than_the_longest_name(longest: int) -> None:
    names = Names(NameRules(longest=longest, reserved=("o", "oe", "oeoe")))
    for number, name in enumerate(["ö" * longest, "ø" * longest, "œ" * longest, "田" * longest]):
        alias = names.alias(name, Peer(number))
        assert alias not in ("o", "oe", "oeoe"), "what is left must not be reserved"
        assert len(alias) <= max(longest, len("p-1"))
        assert names.refusal(alias, Peer(number)) in (None, Refusal.NAME_TOO_LONG)
        names.take(name, Peer(number), alias)
    assert len(names._owners) == 8
