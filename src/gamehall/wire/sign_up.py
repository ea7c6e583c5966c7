"""The secrets that clients may send with their names, where the setting `secrets` allows it."""

from gamehall.wire.settings import DoorSettings

SECRET_SEPARATOR = ":"
NOT_SHOWN = "(not shown: it may contain a secret)"


def read_sign_up(text: str, settings: DoorSettings) -> tuple[str, str]:
    """Return the name and the secret of a sign-up; the secret is empty if there is none.

    With the setting `secrets` the text is NAME or NAME:SECRET, otherwise all of it is the name.
    """
    if not settings.secrets:
        return text, ""
    name, _, secret = text.partition(SECRET_SEPARATOR)
    return name, secret


def quote_input(text: bytes, settings: DoorSettings) -> str:
    """Return what a client sent instead of a message, for the log.

    With the setting `secrets` it is not shown: it may be a misspelt sign-up with its secret.
    """
    return NOT_SHOWN if settings.secrets else repr(text)
