"""Forwarded headers count only on a connection from a proxy that the operator named."""

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from chalice.app import Chalice

from chalicelib.settings.reading import forget_settings
from host.forwarded import Caller, Proxies
from host.server import ApiServer
from host.service import CannotStart, Host
from local import embedded

PROXY = "10.0.0.2"
OVER_TLS = {"x-forwarded-proto": "https", "x-forwarded-host": "seo.example.com"}
FORGED = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example"}


def forwarded(*hops: str, **more: str) -> dict[str, str]:
    return {"x-forwarded-for": ", ".join(hops), **{name.replace("_", "-"): value for name, value in more.items()}}


@pytest.mark.parametrize("ranges", ["", " , ", "10.0.0.3", "192.168.0.0/16", "fd00::/8"])
def test_forwarded_headers_are_ignored_if_their_sender_is_unknown(ranges: str) -> None:
    headers = {**forwarded("203.0.113.9"), **OVER_TLS}
    assert Proxies(ranges).caller(PROXY, headers) == Caller(PROXY)


@pytest.mark.parametrize("ranges", [PROXY, "10.0.0.0/24", " 192.0.2.1 , 10.0.0.2", "fd00::/8,10.0.0.2/32"])
def test_forwarded_headers_of_a_trusted_proxy_are_used(ranges: str) -> None:
    headers = {**forwarded("203.0.113.9"), **OVER_TLS}
    assert Proxies(ranges).caller(PROXY, headers) == Caller("203.0.113.9", "seo.example.com")


@pytest.mark.parametrize(
    ("hops", "client"),
    [
        (["198.51.100.1", "203.0.113.9"], "203.0.113.9"),  # the first was written by the client
        (["198.51.100.1", "203.0.113.9", "10.0.0.7"], "203.0.113.9"),  # two proxies of ours
        (["10.0.0.9", "10.0.0.8"], "10.0.0.9"),  # asked from our own network
        (["203.0.113.9", "nonsense", "10.0.0.7"], "10.0.0.7"),  # what a proxy of ours could not have written ends it
        (["unknown"], PROXY),
        ([""], PROXY),
        (["::ffff:203.0.113.9"], "203.0.113.9"),
        (["2001:db8::1"], "2001:db8::1"),
    ],
)
def test_the_client_is_the_last_address_that_is_not_a_trusted_proxy(hops: list[str], client: str) -> None:
    assert Proxies("10.0.0.0/24").caller(PROXY, forwarded(*hops)).ip == client


def test_a_proxy_is_recognised_by_its_ipv4_mapped_ipv6_address() -> None:
    assert Proxies(PROXY).caller(f"::ffff:{PROXY}", forwarded("203.0.113.9")).ip == "203.0.113.9"


@pytest.mark.parametrize(
    ("scheme", "host", "domain"),
    [
        ("https", "SEO.example.com:8443", "seo.example.com:8443"),
        ("HTTPS", "[2001:db8::1]:443", "[2001:db8::1]:443"),
        ("http, https", "evil.example, seo.example.com", "seo.example.com"),  # the last ones are the proxy's own
        ("https, http", "seo.example.com", None),
        ("http", "seo.example.com", None),
        ("", "seo.example.com", None),
        ("https", "", None),
        ("https", "seo.example.com/path", None),
        ("https", "user@seo.example.com", None),
        ("https", 'seo.example.com"><script>', None),
    ],
)
def test_a_valid_forwarded_domain_counts_only_if_tls_was_used(scheme: str, host: str, domain: str | None) -> None:
    headers = {"x-forwarded-proto": scheme, "x-forwarded-host": host}
    assert Proxies(PROXY).caller(PROXY, headers).domain == domain


@pytest.mark.parametrize("wrong", ["proxy.internal", "10.0.0.1/8", "10.0.0.2;10.0.0.3"])
def test_an_invalid_range_of_proxies_stops_the_start_with_one_line(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    monkeypatch.setenv("CURSOR_SECRET", "x" * 32)
    monkeypatch.setenv("TRUSTED_PROXIES", wrong)
    forget_settings()
    try:
        with pytest.raises(CannotStart, match=r"^TRUSTED_PROXIES: .*addresses or networks"):
            Host("127.0.0.1", 0).start()
    finally:
        monkeypatch.undo()
        forget_settings()


@contextmanager
def served(app: Chalice, ranges: str) -> Iterator[ApiServer]:
    server = ApiServer(app, 0, proxies=Proxies(ranges))
    yield server
    server.stop()


def asked(server: ApiServer, path: str, headers: dict[str, str]) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.request("GET", path, headers=headers)
        return json.loads(connection.getresponse().read())
    finally:
        connection.close()


def test_the_app_gets_the_address_of_the_client_behind_the_proxy() -> None:
    app = Chalice(app_name="seen", configure_logs=False)

    @app.route("/")
    def seen() -> Any:
        context = app.current_request.context  # type: ignore[union-attr]
        return [context["identity"]["sourceIp"], context.get("domainName")]

    with served(app, "") as server:
        assert asked(server, "/", FORGED) == ["127.0.0.1", None]
    with served(app, "127.0.0.1") as server:
        assert asked(server, "/", FORGED) == ["203.0.113.9", "evil.example"]
        assert asked(server, "/", {}) == ["127.0.0.1", None]
        assert asked(server, "/", {"X-Forwarded-For": "203.0.113.10"}) == ["203.0.113.10", None]


def test_only_a_trusted_forwarded_domain_is_used_in_links(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from app import app

    monkeypatch.delenv("BASE_URL", raising=False)
    forget_settings()
    with embedded.running():
        for ranges, root in (("", "http://localhost"), ("127.0.0.0/8", "https://evil.example")):
            with served(app, ranges) as server:
                described = asked(server, "/api/v1/openapi.json", {**FORGED, "Host": "evil.example"})
            assert described["servers"] == [{"url": f"{root}/api/v1"}]
