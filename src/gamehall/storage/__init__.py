"""What outlives the hall: the records of finished matches, in the folder that `--data` names."""

from gamehall.storage.archive import Archive, ArchivedRecord, CannotKeep

__all__ = ["Archive", "ArchivedRecord", "CannotKeep"]
