"""Coverage-guided inputs, by libFuzzer through atheris."""

import sys
from pathlib import Path
from random import Random

import atheris

HEADER = 3
"""The first bytes of an input choose the conversation, how much of it is kept, and the chunks."""

MOST_BYTES = 4096


def run_guided(name: str, corpus: Path | None, runs: int) -> int:
    """Run libFuzzer on a target; it ends the program by itself."""
    with atheris.instrument_imports(include=["gamehall.wire", "gamehall.protocols"]):
        from tests.fuzz.targets import all_targets

        # The catalogue imports the protocols only when it is called.
        targets = all_targets()
    from tests.fuzz.campaign import compare
    from tests.fuzz.script import ALONE, Give, Step

    if name not in targets:
        sys.stderr.write(f"unknown target {name}; there are {', '.join(targets)}\n")
        return 2
    target = targets[name]
    scripts = target.corpus.scripts

    def try_bytes(given: bytes) -> None:
        if len(given) < HEADER:
            return
        script = scripts[given[0] % len(scripts)]
        kept: list[Step] = list(script.steps[: given[1] % (len(script.steps) + 1)])
        speakers = [step.who for step in kept if isinstance(step, Give)]
        kept.append(Give(speakers[-1] if speakers else ALONE, given[HEADER:]))
        mutated = script._replace(steps=tuple(kept))
        made = target.run(mutated, Random(given[2]))
        if given[2] % 8 == 0:
            compare(made, target.run(mutated, Random(given[2] + 1)))

    folders = []
    if corpus is not None:
        corpus.mkdir(parents=True, exist_ok=True)
        folders.append(str(corpus))
        for place, message in enumerate(target.corpus.pool[:500]):
            header = bytes((place % 256, place % 7, place % 256))
            (corpus / f"recorded-{place}").write_bytes(header + message)
    options = [f"-runs={runs}", f"-max_len={MOST_BYTES}", f"-artifact_prefix={name}-"]
    atheris.Setup([sys.argv[0], *options, *folders], try_bytes)
    atheris.Fuzz()
    return 0
