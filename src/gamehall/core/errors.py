"""The base of all exceptions."""


class GamehallError(Exception):
    """Base class of every exception that this package defines. The text tells a person why."""
