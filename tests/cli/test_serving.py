"""How `gamehall serve` stores things, depending on its options."""

import asyncio
from pathlib import Path

import pytest

from gamehall.cli.serving import Kept
from gamehall.storage import DatabaseJournal, LoopJournal, ThreadJournal, open_database


@pytest.mark.parametrize(
    ("survives_power_cuts", "kind"), [(False, LoopJournal), (True, ThreadJournal)]
)
def test_only_what_waits_for_the_disk_is_written_in_a_thread(
    survives_power_cuts: bool, kind: type[DatabaseJournal], tmp_path: Path
) -> None:
    kept = Kept(open_database(tmp_path, survives_power_cuts), fresh=False)
    loop = asyncio.new_event_loop()
    try:
        journal = kept.journal(loop, pytest.fail)
        assert type(journal) is kind
        assert journal.finish() == 0
    finally:
        loop.close()
