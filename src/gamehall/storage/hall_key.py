"""The server's secret key, with which players' secrets and addresses are hashed."""

import secrets
from pathlib import Path
from typing import Final

from gamehall.storage.database import StorageError, make_private

KEY_FILE: Final = "hall.key"
KEY_BYTES: Final = 32


def read_hall_key(folder: Path) -> bytes:
    """Return the key in a folder. Create it the first time. Raises StorageError."""
    path = folder / KEY_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        make_private(path)
        key = path.read_bytes()
        if not key:
            key = secrets.token_bytes(KEY_BYTES)
            path.write_bytes(key)
    except OSError as error:
        raise StorageError(f"cannot use {path}: {error.strerror}") from None
    if len(key) != KEY_BYTES:
        raise StorageError(
            f"{path} is damaged: it must have {KEY_BYTES} bytes. Restore it from a backup, or"
            " delete it; then players with secrets or tokens cannot return to games in play"
        )
    return key
