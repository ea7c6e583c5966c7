"""The siege in small: nobody honest is disturbed, and whoever is disturbed would be noticed."""

import asyncio
from collections import Counter
from typing import Any

import pytest

from gamehall.bench import siege
from gamehall.bench.machine import BenchError
from gamehall.bench.siege_besieger import Attack
from gamehall.bench.siege_guest import SECONDS_TO_ANSWER, Guest, HonestClient, Looker
from gamehall.bench.siege_hall import ASCENSION, DOORS, TTTP
from gamehall.bench.siege_hostile import plan
from gamehall.bench.siege_programs import program
from gamehall.bench.siege_tally import Tally, Waits
from gamehall.bench.siege_words import WORDS
from gamehall.bots.bot import RandomBot
from gamehall.bots.visitor import Visitor
from gamehall.protocols.catalogue import all_protocols
from gamehall.protocols.tttp import messages

SEATED_AS_RED = messages.write_join_response(1)
CANCELLED = messages.write_update(1, 4, bytes(42))
RED_HAS_WON = messages.write_update(2, 1, bytes(42))


@pytest.fixture(scope="module")
def besieged() -> tuple[list[str], dict[str, Any]]:
    """What a small siege reports, and its figures."""
    lines: list[str] = []
    figures = siege.run(lines.append, seconds=3, pairs=4, connections=60)
    return lines, figures


def test_no_game_is_disturbed(besieged: tuple[list[str], dict[str, Any]]) -> None:
    lines, figures = besieged
    assert figures["disturbed"] == 0, "\n".join(lines)


def test_there_is_a_row_for_every_phase_and_door(
    besieged: tuple[list[str], dict[str, Any]],
) -> None:
    lines, _ = besieged
    for phase in ("peace", "siege", "peace again"):
        for door in (*DOORS, "all doors"):
            assert any(line.startswith(f"{phase:14}{door}") for line in lines), (phase, door)


def test_the_head_says_what_was_changed(besieged: tuple[list[str], dict[str, Any]]) -> None:
    lines, _ = besieged
    assert "tttp.tables=24" in lines[1]


@pytest.mark.parametrize("phase", ["peace", "siege", "peace again"])
@pytest.mark.parametrize("door", DOORS)
def test_the_honest_play_on_at_every_door(
    besieged: tuple[list[str], dict[str, Any]], phase: str, door: str
) -> None:
    _, figures = besieged
    assert figures["phases"][phase]["honest"]["doors"][door]["moves"] > 0


def test_the_besiegers_do_come_and_do_go(besieged: tuple[list[str], dict[str, Any]]) -> None:
    _, figures = besieged
    before, under, after = figures["phases"].values()
    assert under["hostile"]["most_inside"] > 40
    assert all(counts["let_in"] >= 12 for counts in under["hostile"]["doors"].values())
    assert sum(after["after"]["open"].values()) <= sum(before["after"]["open"].values())


def test_every_attack_is_made_at_every_door() -> None:
    sent = Counter(plan(DOORS, 5000, list(Attack)))
    assert sent.keys() == {(attack, door) for attack in Attack for door in DOORS}
    assert sent.total() == 5000


def test_at_every_door_there_is_something_to_say() -> None:
    assert WORDS.keys() == set(DOORS)


def test_waits_are_summed_up() -> None:
    waits = Waits.of([number / 1000 for number in range(1, 101)])
    assert (waits.median, waits.p99, waits.longest) == pytest.approx((50.5, 99, 100))
    assert Waits.of([]) == Waits(None, None, None)


def red(tally: Tally) -> Guest:
    """An honest player of TTTP."""
    protocol = all_protocols()[TTTP]
    session = protocol.client(protocol.settings())
    return Guest(TTTP, "red", tally, session, Visitor("red", {}, 1000), RandomBot(1), 0.0)


def meet(client: HonestClient, said: bytes) -> None:
    """The client meets a server that says this to the first it hears, and hangs up."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1000)
        writer.write(said)
        writer.close()
        await writer.wait_closed()

    async def visit() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        loop = asyncio.get_running_loop()
        gone, lose = loop.create_future(), client.connection_lost

        def lose_and_note(exc: Exception | None) -> None:
            lose(exc)
            gone.set_result(None)

        client.connection_lost = lose_and_note  # type: ignore[method-assign]
        await loop.create_connection(client.itself, "127.0.0.1", port)
        await gone
        server.close()
        await server.wait_closed()

    asyncio.run(visit())


@pytest.mark.parametrize(
    ("said", "noticed"),
    [
        (b"", "was dropped"),
        (SEATED_AS_RED, "was dropped"),
        (SEATED_AS_RED + CANCELLED, "ended otherwise"),
        (messages.write_join_response(9), "does not let us in"),
        (b"nonsense", "keep to the protocol"),
    ],
)
def test_a_player_who_is_disturbed_is_counted(said: bytes, noticed: str) -> None:
    tally = Tally(DOORS)
    meet(red(tally), said)
    assert tally.doors[TTTP].disturbed == 1
    assert noticed in tally.doors[TTTP].reasons[0]


def test_a_game_that_ends_by_play_is_no_disturbance_but_to_be_hung_up_on_is() -> None:
    tally = Tally(DOORS)
    meet(red(tally), SEATED_AS_RED + RED_HAS_WON)
    assert tally.doors[TTTP].endings_heard == 1
    assert tally.doors[TTTP].reasons == ["tttp: red was dropped (the server hung up)"]


def test_somebody_who_only_looks_is_counted_too() -> None:
    tally = Tally(DOORS)
    meet(Looker("eve", tally, 0.0), b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    assert tally.doors[ASCENSION].reasons == ["ascension-http: eve was answered 400"]


def test_whoever_waits_too_long_is_counted_once() -> None:
    tally = Tally(DOORS)
    looker = Looker("eve", tally, 0.0)
    looker._asked_at = 100.0
    looker.look_at_watch(100.0 + SECONDS_TO_ANSWER)
    assert tally.doors[ASCENSION].disturbed == 0
    for later in (0.1, 0.2):
        looker.look_at_watch(100.0 + SECONDS_TO_ANSWER + later)
    assert tally.doors[ASCENSION].disturbed == 1


def test_without_a_hall_there_is_no_figure() -> None:
    ports = dict.fromkeys(DOORS, 1)
    options = ("--pairs=1", "--tables=1", "--think=0.1")
    with program("siege_honest", options, ports) as honest, pytest.raises(BenchError):
        honest.ask("sit", 30.0)
