"""No test waits for what the machine that it runs on makes of a name."""

import asyncio
import socket

import pytest

NAMES = ("nowhere.invalid", "printer.local", "example.com", "LOCALHOST.example", b"example.com")


@pytest.fixture
def unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine whose look-up would be noticed."""

    def asked(*_: object, **__: object) -> None:
        raise AssertionError("the machine was asked")

    monkeypatch.setattr("tests.plugins.network._system_lookup", asked)


@pytest.mark.parametrize("name", NAMES)
def test_tests_cannot_resolve_host_names(name: str | bytes, unasked: None) -> None:
    with pytest.raises(socket.gaierror, match="tests look up no name"):
        socket.getaddrinfo(name, 80)
    with pytest.raises(socket.gaierror, match="tests look up no name"):
        socket.create_connection((name, 80), timeout=1)  # type: ignore[arg-type]


def test_an_event_loop_in_a_test_cannot_resolve_host_names(unasked: None) -> None:
    async def look_up() -> None:
        await asyncio.get_running_loop().getaddrinfo("example.com", 80)

    with pytest.raises(socket.gaierror, match="tests look up no name"):
        asyncio.run(look_up())


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", b"localhost"])
def test_tests_can_resolve_localhost(host: str | bytes) -> None:
    found = socket.getaddrinfo(host, 80, type=socket.SOCK_STREAM)
    assert [answer[4] for answer in found] == [("127.0.0.1", 80)]


def test_the_host_name_of_a_local_address_needs_no_lookup(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("tests.plugins.network._system_name")
    assert socket.getfqdn("127.0.0.1") == "127.0.0.1"
