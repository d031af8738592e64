"""Screens of websites at the limits of everything, and with texts that mean harm: small, few calls, no markup."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import botocore.client
import pytest
from selectolax.lexbor import LexborNode

from bench.web import MOST_BYTES, MOST_CALLS, OTHER_CALLS
from chalicelib.store import crawls, keys
from chalicelib.store.transactions import commit
from chalicelib.web.routing import Route
from tests import aws
from tests.api import largest, seed
from tests.api.conftest import House, settle
from tests.web.conftest import Browser, Screen, signed_in
from tests.web.screens import SHOWN, names_in, operations_of
from tests.web.test_every_screen import path_of

MOST_HOSTILE_BYTES = 120_000  # where every text is hostile and of full length
OPERATIONS = sorted({operation for route in SHOWN for operation in operations_of(route)} & largest.LARGEST.keys())
HARM = (
    "\u202e<x-harm id=harm onclick=alert(1)>\U0001f9e8</title></textarea></select></script><script>alert(1)</script>"
    "<img src=x onerror=alert(1)>\" data-harm='1' ' data-harm=\"1\" <a href=javascript:alert(1)>"
    "\u200f{{7*7}}<!--]]>&lt;b>"
)
NAME_HARM = HARM.replace("\u202e", "").replace("\u200f", "")  # names of websites have no invisible characters
# What a screen needs beside what an operation shows most of.
BESIDE: dict[str, largest.Prepare] = {
    "compare_audits": lambda house: _audit_of(house),
    "read_page_history": largest.page,
    "read_performance": largest.page,
}
NEVER = "x-harm, img, iframe, object, embed, base, frame, applet, math, marquee, style, template, video, audio"


def _audit_of(house: House) -> str:
    commit([crawls.put_new(seed.header(house.site))])
    return f"/sites/{house.site.id}/audits/{seed.AUDIT}"


class Harmful(str):
    """So many of it are a text of as many characters."""

    __slots__ = ()

    def __mul__(self, count: Any) -> str:
        return (str(self) * (count // len(self) + 1))[:count]


def harmful_address(site: Any, number: int, length: int = 2_048) -> str:
    """An address of the website, every third one of a scheme that runs scripts, as long as one may be."""
    start = f"{'javascript:alert(1)//' if number % 3 == 1 else site.url}{number:06d}/"
    return start + Harmful(HARM) * (length - len(start))


@pytest.fixture
def large_house(store: None) -> House:
    return settle(plan="enterprise")


@pytest.fixture
def harmful(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    operation = request.getfixturevalue("operation")
    monkeypatch.setattr(largest, "WIDE", Harmful(NAME_HARM if operation == "read_portfolio" else HARM))
    monkeypatch.setattr(largest, "_ITEM", largest.Item(*[Harmful(HARM) * 300] * 4))
    monkeypatch.setattr(largest, "address", harmful_address)


@contextmanager
def reads_of(pk: str, sk: str) -> Iterator[list[str]]:
    """The calls that read this item while the block runs."""
    found: list[str] = []
    inner = botocore.client.BaseClient._make_api_call

    def watching(self: Any, operation: str, request: dict[str, Any]) -> Any:
        said = repr(request)
        if operation in ("GetItem", "BatchGetItem", "TransactGetItems") and repr(pk) in said and repr(sk) in said:
            found.append(operation)
        return inner(self, operation, request)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(botocore.client.BaseClient, "_make_api_call", watching)
        yield found


def assert_harmless(screen: Screen) -> None:
    """Nothing but the templates' own elements and attributes, and no address of another scheme."""
    assert not screen.dom.css(NEVER)
    assert not screen.dom.css("script:not([src]), [data-harm], #harm, meta[http-equiv]")
    for node in screen.dom.css("*"):
        for name in node.attributes:
            assert not name.startswith("on"), node.html
    for attribute in ("href", "src", "action", "formaction", "xlink\\:href"):
        for node in screen.dom.css(f"[{attribute}]"):
            assert_leads_nowhere_bad(node, str(node.attributes[attribute.replace("\\", "")]))
    assert "49" not in [one.text() for one in screen.dom.css("h1")]


def assert_leads_nowhere_bad(node: LexborNode, address: str) -> None:
    assert address.startswith(("#", "/app", "http://", "https://")), address[:100]
    if address.startswith("http"):
        assert "noopener" in str(node.attributes.get("rel")), address[:100]


def shown(browser: Browser, operation: str, names: Mapping[str, str]) -> Iterator[tuple[Route, Screen]]:
    """Every screen that asks this operation and whose path needs no other names."""
    for route in SHOWN:
        if operation in operations_of(route) and set(re.findall(r"\{(\w+)\}", route.path)) <= names.keys():
            path = f"/app/{route.path}".rstrip("/").format(**names)
            screen = browser.get(path)
            assert screen.status == 200, (route.screen, screen.main[:500])
            yield route, screen


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_longest_and_most_hostile_texts_are_escaped(operation: str, large_house: House, harmful: None) -> None:
    names = names_in(largest.LARGEST[operation](large_house))
    if operation in BESIDE:
        names |= names_in(BESIDE[operation](large_house))
    seen = 0
    for route, screen in shown(signed_in(large_house), operation, names):
        assert len(screen.text.encode()) <= MOST_HOSTILE_BYTES, (route.screen, len(screen.text.encode()))
        assert_harmless(screen)
        seen += 1
    assert seen


@pytest.mark.parametrize("route", SHOWN, ids=lambda route: route.screen)
def test_a_screen_of_thousands_of_pages_is_small_and_makes_few_calls(route: Route, large_house: House) -> None:
    site = large_house.site
    seed.settled(site, count=3_000, affected=3_000)
    seed.connected(site, count=300)
    browser, path = signed_in(large_house), path_of(route, large_house)
    browser.get(path)  # the hour's first request makes a call more
    with reads_of(*keys.website(site.workspace_id, site.id)) as reads, aws.counted_calls() as calls:
        screen = browser.get(path)
    assert screen.status == 200
    assert len(screen.text.encode()) <= MOST_BYTES
    assert calls.total() <= OTHER_CALLS.get(route.screen, MOST_CALLS), dict(calls)
    assert len(reads) <= 1, reads
    assert reads or "siteId" not in route.path
