"""Limits the addresses that the service reaches in tests, and the names that it looks up."""

import socket
from collections.abc import Generator, Iterator
from ipaddress import ip_address
from typing import Any, Final

import pytest

from chalicelib.settings.reading import forget_settings

LOCAL: Final = "127.0.0.1"

_system_lookup, _system_name = socket.getaddrinfo, socket.gethostbyaddr


def _looked_up(host: Any, *arguments: Any, **options: Any) -> Any:
    """Written addresses and this machine only."""
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
    if name is None or name == "" or _is_address(name):
        return _system_lookup(host, *arguments, **options)
    if name == "localhost":
        return _system_lookup(LOCAL, *arguments, **options)
    raise socket.gaierror(socket.EAI_NONAME, "tests look up no name")


def _named(address: str) -> Any:
    raise socket.herror(f"tests look up no name of {address}")


def _is_address(name: str) -> bool:
    try:
        ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Makes the look-up of other names fail at once: a real look-up asks the network and may take minutes. Tests
    against real parts look up real names."""
    real = item.get_closest_marker("real") is not None
    socket.getaddrinfo = _system_lookup if real else _looked_up
    socket.gethostbyaddr = _system_name if real else _named


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Generator[None]:
    """Makes the next test read its settings again, after fixtures have restored the environment."""
    try:
        return (yield)
    finally:
        forget_settings()


@pytest.fixture
def loopback_allowed() -> Iterator[None]:
    """The network guard lets this machine's own addresses through."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
        forget_settings()
        yield
    forget_settings()
