"""The benchmark of the arena, in small."""

from gamehall.bench import arena


def test_both_sides_are_measured() -> None:
    lines: list[str] = []
    costs, bare = arena.Costs(), arena.Costs()
    with arena.LocalBench(1) as local:
        local.measure(200, costs)
    bare.cpu.append(arena.play_bare(200, 1) / 200 * 1e6)
    bare.core.append(1.0)
    lines.append(arena.row("arena", costs, bare))
    assert 0 < bare.cpu[0] < costs.core[0] * 100
    assert len(arena.over(costs, bare)) == 1
    assert lines[0].split()[0] == "arena"
