"""What a person can be asked besides moves."""

from typing import Final, NamedTuple

NAME: Final = "another name"
TERMS: Final = "do you agree?"


class Question(NamedTuple):
    """What is asked, and the answer that is taken if the person gives none."""

    name: str
    offered: str

    @property
    def prompt(self) -> str:
        """What stands before the answer."""
        return f"{self.name} [{self.offered}]> " if self.offered else f"{self.name}> "
