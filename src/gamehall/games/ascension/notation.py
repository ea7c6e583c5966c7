"""Moves in writing: a line of words for each, as in `play Apprentice`.

    play Apprentice                     acquire Mystic
    defeat Cultist                      activate Yggdrasil Staff: honor
    choose hand:Militia                 choose nothing
    end turn

Capitals and small letters are the same. `choose` is followed by a card, by a card with the zone it
comes from, by `rune`, `power` or `play`, or by `nothing`. Yggdrasil Staff has two abilities:
`honor` is for runes, without it (or with `power`) it gives power.
"""

from gamehall.core import quoted
from gamehall.games.ascension.cards import CARDS, card_named
from gamehall.games.ascension.choices import FROM_DISCARD, FROM_HAND, PLAY, POWER, RUNE
from gamehall.games.ascension.moves import (
    DECLINE,
    Ability,
    Acquire,
    Activate,
    CardName,
    Choose,
    Defeat,
    EndTurn,
    Move,
    Play,
    is_move,
)

END_TURN = "end turn"
NOTHING = "nothing"
WORDS = {RUNE, POWER, PLAY}
ABILITIES = {POWER: Ability.ORDINARY, Ability.EXCHANGE.value: Ability.EXCHANGE}


def write(move: Move) -> str:
    """The move in writing. Raises ValueError if it is none, or names a card that there is not."""
    if not is_move(move) or not _is_known(move):
        raise ValueError(f"{quoted(move)} is not a move of Ascension")
    match move:
        case Play(name):
            return f"play {name}"
        case Acquire(name):
            return f"acquire {name}"
        case Defeat(name):
            return f"defeat {name}"
        case Activate(name, Ability.ORDINARY):
            return f"activate {name}"
        case Activate(name, ability):
            return f"activate {name}: {ability.value}"
        case Choose(option):
            return f"choose {option or NOTHING}"
        case EndTurn():
            return END_TURN


def read(text: str) -> Move:
    """The move that `text` writes. Raises ValueError, saying what was expected."""
    words = " ".join(text.split())
    verb, _, rest = words.partition(" ")
    match verb.casefold():
        case "play":
            return Play(_read_card(text, rest))
        case "acquire":
            return Acquire(_read_card(text, rest))
        case "defeat":
            return Defeat(_read_card(text, rest))
        case "activate":
            card, _, ability = rest.partition(":")
            if ability and ability.strip().casefold() not in ABILITIES:
                raise ValueError(
                    f"{_short(text)} is not a move: after the colon comes power or honor"
                )
            chosen = ABILITIES[ability.strip().casefold() or POWER]
            return Activate(_read_card(text, card), chosen)
        case "choose":
            return _read_choice(text, rest)
        case "end" if words.casefold() == END_TURN:
            return EndTurn()
        case _:
            raise ValueError(
                f"{_short(text)} is not a move: write play, acquire, defeat or activate and a card,"
                f" choose and an option, or {END_TURN}"
            )


def read_option(text: str) -> str | None:
    """The option of a choice that `text` names, in its canonical spelling; None if none."""
    written = text.strip().casefold()
    if written in WORDS:
        return written
    zone = next((zone for zone in (FROM_HAND, FROM_DISCARD) if written.startswith(zone)), "")
    name = card_named(written.removeprefix(zone))
    return None if name is None else zone + name


def _is_known(move: Move) -> bool:
    """Whether there is a card, or an option, of the name that the move has."""
    match move:
        case EndTurn():
            return True
        case Choose(option):
            return option == DECLINE.option or read_option(option) == option
        case _:
            return move.card in CARDS


def _read_choice(text: str, written: str) -> Choose:
    if written.casefold() == NOTHING:
        return DECLINE
    option = read_option(written)
    if option is None:
        raise ValueError(
            f"{_short(text)} is not a choice: write a card, hand: or discard: and a card, rune,"
            " power, play or nothing"
        )
    return Choose(option)


def _read_card(text: str, written: str) -> CardName:
    name = card_named(written)
    if name is None:
        raise ValueError(f"{_short(text)} is not a move: {_short(written)} is not a card")
    return name


def _short(text: str) -> str:
    """The text in quotes, cut off where it gets long."""
    return repr(text) if len(text) <= 60 else repr(text[:60]) + "..."
