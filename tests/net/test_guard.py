"""Which addresses may be reached. The table is written out, because Python's own answer changes by patch version."""

import asyncio
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address

import pytest

from chalicelib.net import guard as guard_module
from chalicelib.net.guard import AddressRefused, Guard, ResolveFailed, Target, check_url, is_public

PUBLIC = ["8.8.8.8", "1.1.1.1", "100.128.0.1", "172.32.0.1", "2606:4700::1111", "2a00:1450:4001::1", "::ffff:8.8.8.8"]
PUBLIC_INSIDE = ["64:ff9b::808:808", "2002:808:808::1"]
NOT_PUBLIC = [
    *("0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254"),
    *("168.63.129.16", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.9", "192.0.0.192", "192.0.2.1"),
    *("192.31.196.1", "192.52.193.1", "192.88.99.1", "192.168.1.1", "192.175.48.1", "198.18.0.1", "198.19.255.255"),
    *("198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "::127.0.0.1", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254"),
    *("64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "64:ff9b:1::808:808", "100::1"),
    *("2001::1", "2001:0:808:808::", "2001:20::1", "2001:db8::1", "2002:7f00:1::", "2002:a9fe:a9fe::"),
    *("2620:4f:8000::1", "3ffe::1", "3fff::1", "4000::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1"),
    *("fe80::1%eth0", "2606:4700::1111%1", "fec0::1", "ff02::1", "ff0e::1"),
]


@pytest.mark.parametrize("address", PUBLIC + PUBLIC_INSIDE)
def test_public_addresses_are_allowed(address: str) -> None:
    assert is_public(ip_address(address))
    assert Guard().vet(address)


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_private_and_reserved_addresses_are_refused(address: str) -> None:
    assert not is_public(ip_address(address))
    assert not Guard().vet(address)


def test_text_that_is_not_an_ip_address_is_refused() -> None:
    assert not Guard("0.0.0.0/0").vet("localhost")


def test_networks_allowed_by_the_operator_are_allowed() -> None:
    guard = Guard("127.0.0.1, 10.0.0.0/8, fd00::/8")
    assert guard.vet("127.0.0.1") and guard.vet("10.1.2.3") and guard.vet("fd00::1")
    assert guard.vet("::ffff:127.0.0.1"), "the same address in another spelling"
    assert not guard.vet("127.0.0.2")
    assert not guard.vet("64:ff9b::7f00:1"), "a translator is another way, not another spelling"
    assert guard.is_exempt(ip_address("10.0.0.1")) and not guard.is_exempt(ip_address("8.8.8.8"))


@pytest.mark.parametrize("setting", ["10.0.0.0/33", "everything"])
def test_an_invalid_list_of_allowed_networks_is_refused(setting: str) -> None:
    with pytest.raises(ValueError, match="IPv4 or IPv6 network"):
        Guard(setting)


@pytest.mark.parametrize("setting", ["demo.test", "demo.test=somewhere", "=127.0.0.1"])
def test_an_invalid_list_of_extra_hosts_is_refused(setting: str) -> None:
    with pytest.raises(ValueError, match=r"name=address pair|IPv4 or IPv6 address"):
        Guard("", setting)


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "127.1", "0x7f.1", "0x7f000001", "2130706433", "0177.0.0.1", "127.0.0.1.", "[::1]", "[::]"),
        *("[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "１２７.0.0.1", "127。0。0。1"),
        *("%31%32%37.0.0.1", "①②⑦.⓪.⓪.①", "169.254.169.254", "0", "[fd00:ec2::254]"),
    ],
)
def test_private_addresses_are_refused_in_every_spelling(host: str) -> None:
    with pytest.raises(AddressRefused):
        asyncio.run(Guard().resolve(host, 80))


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "localhost.", "ｌｏｃａｌｈｏｓｔ"])
def test_a_name_that_resolves_to_a_private_address_is_refused(host: str) -> None:
    with pytest.raises(AddressRefused, match="not a public address"):
        asyncio.run(Guard(lookup=lambda name, port: {"localhost": ["127.0.0.1"]}[name]).resolve(host, 80))


@pytest.mark.parametrize("host", ["", ".", "a..b", "a b", "[::1", "[fe80::1%25eth0]", "1.2.3.4.5", "256.1.1.1", "a@b"])
def test_an_invalid_host_is_refused(host: str) -> None:
    with pytest.raises(AddressRefused):
        asyncio.run(Guard().resolve(host, 80))


def test_a_name_is_refused_if_one_of_its_addresses_is_private() -> None:
    guard = Guard(lookup=lambda name, port: ["8.8.8.8", "::1"])
    with pytest.raises(AddressRefused):
        asyncio.run(guard.resolve("mixed.example", 443))


def test_a_public_name_returns_each_address_once() -> None:
    guard = Guard(lookup=lambda name, port: ["8.8.8.8", "8.8.8.8", "2606:4700::1111"])
    found = asyncio.run(guard.resolve("example.com", 443))
    assert [str(address) for address in found] == ["8.8.8.8", "2606:4700::1111"]


def test_extra_hosts_need_no_dns_lookup_but_are_still_checked() -> None:
    def no_lookup(name: str, port: int) -> list[str]:
        raise AssertionError("looked up")

    open_guard = Guard("127.0.0.1", "demo.test=127.0.0.1, clean.test=127.0.0.1", no_lookup)
    assert [str(a) for a in asyncio.run(open_guard.resolve("Demo.Test.", 80))] == ["127.0.0.1"]
    with pytest.raises(AddressRefused):
        asyncio.run(Guard("", "demo.test=127.0.0.1", no_lookup).resolve("demo.test", 80))


def test_literal_ip_addresses_are_checked_without_dns() -> None:
    def never(host: str, port: int) -> list[str]:
        raise AssertionError(host)

    guard = Guard("127.0.0.1", "shop.test=127.0.0.1, inside.test=10.0.0.1", never)
    assert guard.known("127.0.0.1") == guard.known("shop.test") == guard.known("SHOP.test") == [ip_address("127.0.0.1")]
    assert guard.known("8.8.8.8") == [ip_address("8.8.8.8")]
    assert guard.known("example.org") is None
    for host in ("inside.test", "10.0.0.1", "[::1]", "a b"):
        with pytest.raises(AddressRefused):
            guard.known(host)


def test_a_name_without_an_address_cannot_be_resolved() -> None:
    def unknown(name: str, port: int) -> list[str]:
        raise OSError("Name or service not known")

    with pytest.raises(ResolveFailed, match="no address"):
        asyncio.run(Guard(lookup=unknown).resolve("nowhere.example", 80))
    with pytest.raises(ResolveFailed, match="no address"):
        asyncio.run(Guard(lookup=lambda name, port: []).resolve("empty.example", 80))


def test_a_dns_lookup_that_does_not_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard_module, "LOOKUP_SECONDS", 0.1)
    over = threading.Event()

    def stuck(name: str, port: int) -> list[str]:
        over.wait(60)
        ended.append(name)
        return []

    ended: list[str] = []
    with pytest.raises(ResolveFailed, match="did not finish"):
        asyncio.run(Guard(lookup=stuck).resolve("slow.example", 80))
    assert ended == [], "not even the thread is waited for"
    over.set()


def test_a_dns_lookup_requests_only_stream_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def answers(host: str, port: int, **options: object) -> list[tuple[object, ...]]:
        asked.append((host, port, options))
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("8.8.8.8", port)),
            (socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("2606:4700::1111", port, 0, 0)),
        ]

    monkeypatch.setattr(socket, "getaddrinfo", answers)
    found = Guard().resolve_within("example.com", 443, 1.0)
    assert [str(address) for address in found] == ["8.8.8.8", "2606:4700::1111"]
    assert asked == [("example.com", 443, {"type": socket.SOCK_STREAM})]


def test_all_dns_lookups_of_a_guard_share_one_thread_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    pools = []

    def counted(threads: int, name: str) -> ThreadPoolExecutor:
        pools.append(threads)
        return ThreadPoolExecutor(threads, name)

    monkeypatch.setattr(guard_module, "ThreadPoolExecutor", counted)
    guard = Guard(lookup=lambda name, port: ["8.8.8.8"])
    for host in ("a.example", "b.example"):
        guard.resolve_within(host, 443, 1.0)
        asyncio.run(guard.resolve(host, 443))
    assert pools == [8]


def test_synchronous_and_asynchronous_lookups_give_the_same_result() -> None:
    def lookup(name: str, port: int) -> list[str]:
        return {"good.example": ["8.8.8.8", "8.8.8.8"], "mixed.example": ["8.8.8.8", "::1"], "empty.example": []}[name]

    def unknown(name: str, port: int) -> list[str]:
        raise OSError("Name or service not known")

    guard = Guard("127.0.0.1", "demo.test=127.0.0.1, inside.test=10.0.0.1", lookup)
    assert guard.resolve_within("good.example", 443, 1.0) == [ip_address("8.8.8.8")]
    assert guard.resolve_within("Demo.Test.", 80, 0.0) == [ip_address("127.0.0.1")], "what is known takes no time"
    for host in ("mixed.example", "inside.test", "10.0.0.1", "a b"):
        with pytest.raises(AddressRefused):
            guard.resolve_within(host, 443, 1.0)
    with pytest.raises(ResolveFailed, match="no address"):
        guard.resolve_within("empty.example", 443, 1.0)
    with pytest.raises(ResolveFailed, match="not known"):
        Guard(lookup=unknown).resolve_within("nowhere.example", 80, 1.0)


def test_a_dns_lookup_has_two_time_limits_and_ends_at_the_earlier_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard_module, "LOOKUP_SECONDS", 0.2)
    over = threading.Event()

    def stuck(name: str, port: int) -> list[str]:
        over.wait(60)
        return []

    with pytest.raises(TimeoutError):
        Guard(lookup=stuck).resolve_within("slow.example", 80, 0.05)
    with pytest.raises(ResolveFailed, match="did not finish"):
        Guard(lookup=stuck).resolve_within("slow.example", 80, 20.0)
    over.set()


def test_a_socket_to_a_private_address_is_never_opened() -> None:
    with pytest.raises(AddressRefused):
        Guard().socket_for(2, 1, 6, "127.0.0.1")
    Guard("127.0.0.1").socket_for(2, 1, 6, "127.0.0.1").close()


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://example.com", Target("https", "example.com", 443)),
        ("HTTP://Example.COM./x?y", Target("http", "example.com", 80)),
        ("http://demo.test:8080/", Target("http", "demo.test", 8080)),
        ("http://[2606:4700::1111]:443/", Target("http", "[2606:4700::1111]", 443)),
        ("https://bücher.example/", Target("https", "xn--bcher-kva.example", 443)),
        ("http://0x7f.1/", Target("http", "127.0.0.1", 80)),
        ("https://example.com?next=http://a@b", Target("https", "example.com", 443)),
        ("https://example.com:/", Target("https", "example.com", 443)),
        ("http://example.com:00080/", Target("http", "example.com", 80)),
        ("http://example.com:443/", Target("http", "example.com", 443)),
        ("http://example.com:1024/", Target("http", "example.com", 1024)),
        ("http://example.com:65535/", Target("http", "example.com", 65535)),
    ],
)
def test_a_web_address_is_parsed_as_in_browsers(url: str, target: Target) -> None:
    assert check_url(url) == target


@pytest.mark.parametrize(
    "url",
    [
        *(
            "ftp://example.com/",
            "file:///etc/passwd",
            "gopher://example.com/",
            "javascript:alert(1)",
            "example.com",
            "",
        ),
        *(
            "http://user@example.com/",
            "http://user:password@example.com/",
            "http://@example.com/",
            "http://",
            "http:///",
        ),
        *("http://example.com:22/", "http://example.com:0/", "http://example.com:65536/", "http://example.com:80a/"),
        *("http://example.com:1/", "http://example.com:1023/", "http://example.com:000080/"),
        *("http://example.com:٨٠/", "http://a b/", "http://a..b/", "http://[::1"),
    ],
)
def test_invalid_web_addresses_are_refused(url: str) -> None:
    with pytest.raises(AddressRefused):
        check_url(url)


def test_a_backslash_ends_the_host_as_in_browsers() -> None:
    assert check_url("http://example.com\\@127.0.0.1/") == Target("http", "example.com", 80)


def test_webhook_addresses_can_be_limited_to_https() -> None:
    assert check_url("https://example.com:8443/hook", schemes=("https",)).port == 8443
    with pytest.raises(AddressRefused, match="must begin with https://"):
        check_url("http://example.com/hook", schemes=("https",))
