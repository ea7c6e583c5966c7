"""The clients spell names in ASCII where the protocol needs it."""

import click
import pytest

from gamehall.cli.shared import read_destination, wire_name


@pytest.mark.parametrize(
    ("name", "spelt"),
    [("ann", "ann"), ("Ann Lee", "Ann Lee"), ("Jürgen", "Juergen"), ("田中", "player")],
)
def test_a_name_is_spelt_in_ascii_and_that_is_printed(
    name: str, spelt: str, capsys: pytest.CaptureFixture[str]
) -> None:
    there = read_destination("tttp://localhost", (), None, trusts_all=False)
    assert wire_name(name, there) == spelt
    assert (f"{name} is called {spelt} there" in capsys.readouterr().err) == (spelt != name)


def test_a_protocol_without_names_allows_every_name() -> None:
    there = read_destination("go-text://localhost", (), None, trusts_all=False)
    assert wire_name("田中", there) == "田中"


def test_a_name_that_the_protocol_forbids_is_an_error() -> None:
    there = read_destination("santorini-tournament://localhost", (), None, trusts_all=False)
    with pytest.raises(click.UsageError, match="--name at santorini-tournament"):
        wire_name("Jürgen", there)
