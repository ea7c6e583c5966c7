"""Every database that a hall can use."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gamehall.storage import Database, open_database
from tests.postgres import PostgresServer


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    with PostgresServer(tmp_path_factory.mktemp("postgres")) as server:
        yield server


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Database:
    if request.param == "sqlite":
        return open_database(tmp_path)
    server: PostgresServer = request.getfixturevalue("postgres_server")
    return open_database(server.fresh_database())
