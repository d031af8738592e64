"""Whose failure it is when no connection can be made: this machine's, or that of the address."""

import asyncio
import errno
import os
import socket
from collections.abc import Callable
from ipaddress import ip_address
from typing import Any

import pytest

from chalicelib.net.calls import NoAnswer, call
from chalicelib.net.exchange import Exchange, Failed
from chalicelib.net.failures import OwnFailure
from chalicelib.net.fetch import Answer, Fetcher
from chalicelib.net.guard import Guard, Target
from chalicelib.net.send import Sender
from tests.servers.wire import WireServer

LOOPBACK = "127.0.0.0/8,::1/128"
OWN = [errno.EADDRNOTAVAIL, errno.EPERM, errno.ENETDOWN, errno.EAFNOSUPPORT]
OTHERS = [errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ECONNREFUSED, errno.ECONNRESET]
V4, V6 = ip_address("127.0.0.1"), ip_address("::1")

Connecting = Callable[[dict[str, int]], None]


@pytest.fixture
def connecting(monkeypatch: pytest.MonkeyPatch) -> Connecting:
    """Let the system refuse connections to addresses of a host, with these error numbers."""

    def refuse(refused: dict[str, int]) -> None:
        class Refusing(socket.socket):
            def connect(self, address: Any) -> None:
                number = refused.get(address[0])
                no_ipv6 = self.family == socket.AF_INET6 and number == errno.EADDRNOTAVAIL
                if number is not None and (self.type == socket.SOCK_STREAM or no_ipv6):
                    raise OSError(number, os.strerror(number))
                super().connect(address)

        monkeypatch.setattr(socket, "socket", Refusing)

    return refuse


def connect(*addresses: Any, port: int = 8009) -> None:
    with Exchange(Guard(LOOPBACK), seconds=5) as exchange:
        exchange.connect(Target("http", "shop.example", port), list(addresses))


def fetch(url: str, guard: Guard) -> Answer:
    async def run() -> Answer:
        async with Fetcher(guard, user_agent="Test") as fetcher:
            return await fetcher.get(url)

    return asyncio.run(run())


def certificate(host: str, port: int, guard: Guard) -> tuple[int | None, str | None]:
    async def run() -> tuple[int | None, str | None]:
        async with Fetcher(guard, user_agent="Test") as fetcher:
            return await fetcher.certificate(host, port)

    return asyncio.run(run())


@pytest.mark.parametrize("number", OWN)
def test_a_lack_of_local_resources_is_a_failure_of_this_machine(number: int, connecting: Connecting) -> None:
    connecting({"127.0.0.1": number})
    with pytest.raises(OwnFailure, match=os.strerror(number)):
        call("GET", "http://127.0.0.1:8009/", {}, seconds=5, allow_addresses=LOOPBACK)
    with pytest.raises(OwnFailure, match=os.strerror(number)):
        Sender(Guard(LOOPBACK)).post("http://127.0.0.1:8009/", {}, b"{}")
    with pytest.raises(OwnFailure):
        fetch("http://127.0.0.1:8009/", Guard(LOOPBACK))
    with pytest.raises(OwnFailure):
        certificate("127.0.0.1", 8009, Guard(LOOPBACK))


@pytest.mark.parametrize("number", OTHERS)
def test_an_unreachable_destination_is_a_failure_of_the_other_side(number: int, connecting: Connecting) -> None:
    connecting({"127.0.0.1": number})
    with pytest.raises(NoAnswer):
        call("GET", "http://127.0.0.1:8009/", {}, seconds=5, allow_addresses=LOOPBACK)
    assert Sender(Guard(LOOPBACK)).post("http://127.0.0.1:8009/", {}, b"{}").phase == "connect"
    assert fetch("http://127.0.0.1:8009/", Guard(LOOPBACK)).error is not None


@pytest.mark.parametrize("number", [*OWN, *OTHERS])
@pytest.mark.parametrize("order", [(V6, V4), (V4, V6)])
def test_another_address_of_a_host_is_used_if_the_first_one_fails(
    number: int, order: Any, connecting: Connecting
) -> None:
    with WireServer(lambda c: c.answer(b"{}")) as server:
        connecting({"::1": number})
        port = int(server.url().rstrip("/").rpartition(":")[2])
        connect(*order, port=port)
        guard = Guard(LOOPBACK, f"shop.example={order[0]},shop.example={order[1]}")
        assert fetch(f"http://shop.example:{port}/", guard).status == 200


@pytest.mark.parametrize("order", [(V6, V4), (V4, V6)])
def test_only_the_ipv4_address_counts_on_a_machine_without_ipv6(order: Any, connecting: Connecting) -> None:
    connecting({"::1": errno.EADDRNOTAVAIL, "127.0.0.1": errno.ECONNREFUSED})
    with pytest.raises(Failed, match="refused"):
        connect(*order)
    connecting({"::1": errno.EADDRNOTAVAIL, "127.0.0.1": errno.EADDRNOTAVAIL})
    with pytest.raises(OwnFailure):
        connect(*order)


def test_a_host_with_only_ipv6_is_unreachable_from_a_machine_without_ipv6(connecting: Connecting) -> None:
    connecting({"::1": errno.EADDRNOTAVAIL})
    with pytest.raises(Failed, match=r"shop\.example has only IPv6 addresses"):
        connect(V6)


@pytest.mark.parametrize("order", [(errno.EPERM, errno.ECONNREFUSED), (errno.ECONNREFUSED, errno.EPERM)])
def test_if_this_machine_could_not_try_one_address_the_host_is_not_at_fault(
    order: tuple[int, int], connecting: Connecting
) -> None:
    connecting({"127.0.0.1": order[0], "127.0.0.2": order[1]})
    with pytest.raises(OwnFailure):
        connect(V4, ip_address("127.0.0.2"))
