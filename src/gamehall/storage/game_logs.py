"""Log files of matches: one file per match, one JSON object per line, written by a thread.

A file is named after the id of its match, and no two matches have the same id (A-01).
"""

import logging
import threading
from collections import deque
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from gamehall.rooms.room import LogLine
from gamehall.storage.database import make_private

log = logging.getLogger(__name__)

FOLDER = Path("server", "logs")

LETTERS_OF_NAME = 8
"""The letters of a match's name in its id, after the time of its beginning."""

LINES_WAITING = 100_000
"""The length of the queue for a slow disk. The oldest lines are dropped."""

SECONDS_TO_FINISH = 5.0


class GameLogs:
    """Writes the log lines of rooms to `server/logs/ID.log`.

    If a file cannot be written, play continues, and the server's log says so once (A-Q25).
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FOLDER
        self._ids: dict[tuple[str, str], str] = {}
        self._waiting: deque[tuple[str, bytes] | None] = deque(maxlen=LINES_WAITING)
        self._available = threading.Semaphore(0)
        self._has_failed = False
        self._writer = threading.Thread(target=self._write, name="game logs", daemon=True)
        self._writer.start()

    def note(self, room: str, line: LogLine) -> None:
        """Queue a line for the log of its match, with the current time."""
        now = datetime.now(UTC)
        game_id = self._ids.get((room, line.match))
        if game_id is None:
            # Rooms have one match at a time, so only their last id is needed.
            self._ids = {known: name for known, name in self._ids.items() if known[0] != room}
            game_id = self._id_of(line.match, now)
            self._ids[room, line.match] = game_id
            log.info("%s: game %s", room, game_id)
        content = {"time": now.isoformat(timespec="milliseconds"), "id": game_id, **line.content}
        self._put((game_id, msgspec.json.encode(content) + b"\n"))

    def _id_of(self, match: str, now: datetime) -> str:
        """Return a new id for a match or, after a restart, the id that it had."""
        letters = match[:LETTERS_OF_NAME]
        known = sorted(self._folder.glob(f"*-{letters}.log"))
        return known[-1].stem if known else f"{now:%Y%m%dT%H%M%SZ}-{letters}"

    def close(self) -> None:
        """Write the queued lines, and end the thread."""
        self._put(None)
        self._writer.join(SECONDS_TO_FINISH)

    def _put(self, item: tuple[str, bytes] | None) -> None:
        self._waiting.append(item)
        self._available.release()

    def _write(self) -> None:
        while True:
            self._available.acquire()
            lines: dict[str, list[bytes]] = {}
            is_closed = False
            while self._waiting:
                item = self._waiting.popleft()
                if item is None:
                    is_closed = True
                else:
                    lines.setdefault(item[0], []).append(item[1])
            for game_id, content in lines.items():
                self._append(game_id, b"".join(content))
            if is_closed:
                return

    def _append(self, game_id: str, content: bytes) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            path = self._folder / f"{game_id}.log"
            make_private(path)
            with path.open("ab") as file:
                file.write(content)
        except OSError as error:
            if not self._has_failed:
                self._has_failed = True
                log.warning("cannot write the logs of games: %s", error)
