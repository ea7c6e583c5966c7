"""TLS at the TCP doors."""

from pathlib import Path

import pytest

from tests.end_to_end.test_bot import NINE, BotProcess
from tests.support.served import Served, start_error

DOORS = ("tttp", "go-text", "santorini-tournament", "ascension-http")


@pytest.mark.parametrize("door", DOORS)
def test_bots_play_over_tls(door: str, certificate: tuple[Path, Path]) -> None:
    cert, key = certificate
    with Served(f"--door={door}=0", "--tls-cert", str(cert), "--tls-key", str(key)) as hall:
        address = f"{door}+tls://localhost:{hall.port(door)}"
        arguments = ["--tls-ca", str(cert), *(NINE if door == "go-text" else ())]
        bots = [
            BotProcess(address, "random", "--name", name, *arguments) for name in ("ann", "bob")
        ]
        for bot in bots:
            code, output, errors = bot.end()
            assert (code, errors) == (0, "")
            assert "game 1" in output
        assert hall.stop() == 0
        assert "Traceback" not in hall.errors


def test_TM_20_a_client_without_tls_is_disconnected(certificate: tuple[Path, Path]) -> None:
    cert, key = certificate
    with Served("--door=tttp=0", "--tls-cert", str(cert), "--tls-key", str(key)) as hall:
        bot = BotProcess(f"tttp://localhost:{hall.port()}", "random", "--name", "ann")
        code, _, errors = bot.end()
        assert code == 1
        assert "closed the connection at once: is that the tttp door?" in errors
        assert errors.endswith("if it needs TLS, write tttp+tls://\n")
        assert hall.stop() == 0
        assert "Traceback" not in hall.errors


def test_an_unknown_certificate_is_not_trusted(certificate: tuple[Path, Path]) -> None:
    cert, key = certificate
    with Served("--door=tttp=0", "--tls-cert", str(cert), "--tls-key", str(key)) as hall:
        code, _, errors = BotProcess(f"tttp+tls://localhost:{hall.port()}", "random").end()
        assert code == 1
        assert "cannot speak TLS with tttp+tls://localhost" in errors


def test_a_server_without_tls_is_an_error() -> None:
    with Served("--door=tttp=0") as hall:
        code, _, errors = BotProcess(f"tttp+tls://localhost:{hall.port()}", "random").end()
        assert code == 1
        assert "cannot speak TLS" in errors or "cannot connect" in errors


def test_wrong_certificates_are_one_error_line(
    certificate: tuple[Path, Path], tmp_path: Path
) -> None:
    cert, key = certificate
    assert "--tls-cert: cannot use /nowhere" in start_error("--tls-cert", "/nowhere")
    assert "--tls-key needs a certificate" in start_error("--tls-key", str(key))
    spoilt = tmp_path / "spoilt.pem"
    spoilt.write_text("nothing")
    assert f"--tls-cert: cannot use {spoilt}" in start_error("--tls-cert", str(spoilt))
    assert f"--tls-cert: cannot use {cert}" in start_error("--tls-cert", str(cert))


def test_TM_19_doors_that_other_computers_can_reach_are_warned_about() -> None:
    doors = ("--door=tttp=0", "--door=go-text=0", "--door=ascension-http=0")
    with Served("--host", "0.0.0.0", *doors) as hall:
        assert hall.stop() == 0
        assert hall.errors.count("WARNING") == 3
        assert "other computers can connect to 0.0.0.0" in hall.errors
        assert "tttp: a client with a player's name" in hall.errors
        assert "ascension-http: any client can move for either player" in hall.errors
        assert "go-text:" not in hall.errors


def test_doors_with_secrets_tokens_and_a_certificate_have_no_warnings(
    certificate: tuple[Path, Path],
) -> None:
    cert, key = certificate
    secure = ("--set=tttp.secrets=true", "--set=ascension-http.tokens=true")
    tls = ("--tls-cert", str(cert), "--tls-key", str(key))
    doors = ("--door=tttp=0", "--door=ascension-http=0")
    with Served("--host", "0.0.0.0", *doors, *secure, *tls) as hall:
        assert hall.stop() == 0
        assert "WARNING" not in hall.errors
