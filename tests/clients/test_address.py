"""Addresses of doors."""

import pytest

from gamehall.clients.address import AddressError, read_address
from gamehall.protocols.catalogue import all_protocols


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("tttp://localhost:7", "localhost", 7),
        ("go-text://example.org", "example.org", 7002),
        ("go-text://10.0.0.1:7002/", "10.0.0.1", 7002),
        ("santorini-lobby://[::1]:70", "::1", 70),
    ],
)
def test_addresses(text: str, host: str, port: int) -> None:
    address = read_address(text, all_protocols())
    assert (address.host, address.port) == (host, port)
    assert read_address(str(address), all_protocols()) == address


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("localhost:7003", "write DOOR://HOST:PORT; doors are santorini-lobby"),
        ("", "is not an address"),
        ("chess://localhost", "there is no door 'chess'; there are: santorini-lobby"),
        ("tttp://", "as in tttp://localhost:7003"),
        ("tttp://:7003", "as in tttp://localhost:7003"),
        ("tttp://host:port", "is not an address"),
        ("tttp://host:99999", "is not an address"),
        ("tttp://host/room", "as in tttp://localhost:7003"),
        ("tttp://me@host", "as in tttp://localhost:7003"),
        ("tttp://[::1", "is not an address"),
    ],
)
def test_the_error_for_an_invalid_address_shows_a_valid_one(text: str, words: str) -> None:
    with pytest.raises(AddressError, match=words):
        read_address(text, all_protocols())
