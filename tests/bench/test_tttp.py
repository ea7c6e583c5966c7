"""The benchmark runs and finds what it looks for. Its figures are for people, not for tests."""

from gamehall.bench import tttp


def test_every_part_of_it_gives_a_figure() -> None:
    lines: list[str] = []
    figures = tttp.run(lines.append, seconds=0.2, rounds=1, playing=(4,), waiting=100)
    rows = {words[0]: words for line in lines if (words := line.split())}
    assert {"echo", "relay", "door"} <= rows.keys()
    assert any(line.startswith("one more") and line.endswith("was seated") for line in lines)
    memory = figures["memory"]
    assert isinstance(memory, dict)
    assert memory["door, idle"]["still_open"] == 100
    speed = figures["speed_4_connections"]
    assert isinstance(speed, dict)
    # The hall has other rooms as well, in which nobody plays.
    assert all(sum(counts.values()) > 0 for counts in speed["delays"].values())
