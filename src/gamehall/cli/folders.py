"""Where the commands look for things if they are not told."""

from pathlib import Path

from platformdirs import user_data_path


def folder_of_this_user() -> Path:
    """The folder in which the hall keeps what it keeps, on this platform, for this user."""
    return user_data_path("gamehall", appauthor=False)
