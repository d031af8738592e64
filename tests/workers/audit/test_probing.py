"""Other spellings of a website's address, and an address that cannot exist."""

import asyncio

import pytest

from chalicelib.net.fetch import Fetcher
from chalicelib.net.guard import Guard
from chalicelib.workers.audit.probing import ask, missing_address, spellings
from tests.servers.wire import WireServer
from tests.workers.audit.websites import Site, html


@pytest.mark.parametrize(
    ("home", "others"),
    [
        (
            "https://example.com/",
            ["https://www.example.com/", "http://example.com/", "http://www.example.com/"],
        ),
        (
            "http://www.example.co.uk/en/",
            ["http://example.co.uk/en/", "https://www.example.co.uk/en/", "https://example.co.uk/en/"],
        ),
        ("https://shop.example.com/", ["http://shop.example.com/"]),
        ("https://example.com:8443/", []),
        ("http://192.0.2.7/", []),
        ("http://[2001:db8::1]/", []),
    ],
)
def test_the_home_address_has_other_spellings_where_no_port_is_part_of_it(home: str, others: list[str]) -> None:
    assert spellings(home) == others


def test_the_missing_address_is_the_audits_own() -> None:
    first = missing_address("https://example.com/en/", "crawl_1")
    assert first == missing_address("https://example.com/", "crawl_1")
    assert first != missing_address("https://example.com/", "crawl_2")
    assert first.startswith("https://example.com/") and first.count("/") == 3


def test_an_answer_is_noted_with_its_canonical_address_or_where_it_leads() -> None:
    head = '<link rel="canonical" href="https://example.com/">'
    site = Site({"/": html("Home", head=head), "/www": ("301 Moved", {"location": "https://example.com/"}, b"")})

    async def probes() -> list[tuple[int, str | None, str | None]]:
        async with Fetcher(Guard("127.0.0.0/8"), user_agent="test") as fetcher:
            asked = [await ask(fetcher, "variant", server.url(path), "example.com") for path in ("/", "/www", "/gone")]
        return [(probe.status, probe.canonical, probe.redirect_to) for probe in asked]

    with WireServer(site) as server:
        assert asyncio.run(probes()) == [
            (200, "https://example.com/", None),
            (301, None, "https://example.com/"),
            (404, None, None),
        ]
