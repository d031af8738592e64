"""Every number of a screen is the API's: what it asks is what HTTP answers, and no number comes from elsewhere.

For the second, each number that a screen is given is replaced by one that occurs nowhere else, so that a number which a
screen shows tells which member of which item it is, or that it is none.
"""

import copy
import json
import random
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

import msgspec
import pytest
from selectolax.lexbor import LexborNode

from chalicelib.http import answers
from chalicelib.http.endpoints import Endpoint
from chalicelib.http.inside import Asker
from chalicelib.web import rendering
from chalicelib.web.routing import Route
from tests.api import seed
from tests.api.client import Client
from tests.api.conftest import House
from tests.api.timeless import timeless
from tests.web.conftest import Screen, signed_in
from tests.web.screens import SHOWN, asked_of_the_api
from tests.web.test_every_screen import path_of

# Numbers that say which part of a list is shown, or that stand for something: they are given as they are.
KEPT = re.compile(r"(^|_)(offset|page|per|limit|status|level|version)$")
# What the tests of the screen work out: totals over days, and what the workspace itself has.
WORKED_OUT = {"search": "#lines", "plan": "section"}
# What people set, and texts before and after: the API answers nothing of it.
ASK_NOTHING = {"settings", "connections", "questions", "redirects", "reports", "crawler_rules", "llms_text", "watched"}
TOKEN = re.compile(r"\d[\d,]*(?:\.\d+)?")
every = pytest.mark.parametrize("route", SHOWN, ids=lambda route: route.screen)


@pytest.fixture
def settled(house: House) -> House:
    seed.settled(house.site)
    seed.connected(house.site)
    return house


@every
def test_a_screen_gets_the_same_answers_as_http_clients(route: Route, settled: House) -> None:
    browser, path = signed_in(settled), path_of(route, settled)
    with asked_of_the_api() as asked:
        assert browser.get(path).status == 200
    client = Client(settled.key)
    for one in asked:
        if one.endpoint.method != "GET" or isinstance(one.answer, answers.Answer | answers.Text):
            continue
        query = f"?{urlencode(one.sent)}" if one.sent else ""
        received = client.get(one.endpoint.path.format(**one.path) + query)
        assert received.status == 200
        assert timeless(received.text) == timeless(answers.encode(one.answer)), one.endpoint.operation_id
    if route.screen in ASK_NOTHING:
        assert not asked
    else:
        assert asked or "siteId" not in route.path


@every
def test_the_json_of_a_screen_is_the_api_answer_that_the_screen_is_made_of(route: Route, settled: House) -> None:
    if not hasattr(route.module, "data"):
        return
    browser, path = signed_in(settled), path_of(route, settled)
    with asked_of_the_api() as asked:
        browser.get(path)
    data = browser.get(f"{path}?as=json")
    assert data.status == 200 and data.headers["content-type"] == "application/json; charset=utf-8"
    assert timeless(data.text) in [timeless(answers.encode(one.answer)) for one in asked]


class _Numbers:
    """Numbers of which each occurs once."""

    def __init__(self) -> None:
        self._left = iter(random.Random(7).sample(range(1_000, 900_000), 60_000))

    def of(self, value: Any, name: str = "") -> Any:
        """The value with other numbers in it. It is changed itself where it can be."""
        if isinstance(value, bool) or KEPT.search(name):
            return value
        if isinstance(value, int):
            return next(self._left)
        if isinstance(value, float):
            return next(self._left) + 0.5
        if isinstance(value, msgspec.Struct):
            for member in value.__struct_fields__:
                msgspec.structs.force_setattr(value, member, self.of(getattr(value, member), member))
        elif isinstance(value, list):
            value[:] = [self.of(one) for one in value]
        elif isinstance(value, tuple):
            return tuple(self.of(one) for one in value)
        elif isinstance(value, dict):
            value.update({key: self.of(one, str(key)) for key, one in value.items()})
        return value


@every
def test_every_number_on_a_screen_is_in_the_api_answer_for_its_row(
    route: Route, settled: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers, inner = _Numbers(), Asker.ask
    given: list[Any] = []

    def ask(
        self: Asker, endpoint: Endpoint, path: Mapping[str, str], sent: Mapping[str, str], body: object = None
    ) -> Any:
        answer = inner(self, endpoint, path, sent, body)
        if isinstance(answer, answers.Answer | answers.Text):
            return answer
        changed = numbers.of(copy.deepcopy(answer))
        given.append(json.loads(answers.encode(changed)))
        return changed

    browser = signed_in(settled)
    monkeypatch.setattr(Asker, "ask", ask)
    screen = browser.get(path_of(route, settled))
    assert screen.status == 200, screen.main
    everything = _written(given)
    for node in shown(screen, WORKED_OUT.get(route.screen)):
        row = row_of(node)
        wanted = everything if row is None else _of_row(row, given) or everything
        for token in TOKEN.findall(text_of(node)):
            assert token in wanted, f"{token} in {node.html}"


def shown(screen: Screen, without: str | None) -> list[LexborNode]:
    """The elements of the screen that hold numbers."""
    main = screen.dom.css_first("main")
    assert main is not None
    for other in main.css(", ".join(["time, nav.pager, svg, form", *([without] if without else [])])):
        other.decompose()
    return [node for node in main.css(".num") if node.tag != "th"]


def text_of(node: LexborNode) -> str:
    return str(node.text(separator=" "))


def row_of(node: LexborNode) -> LexborNode | None:
    above = node.parent
    while above is not None and above.tag != "tr":
        above = above.parent
    return above


def _of_row(row: LexborNode, given: Any) -> set[str]:
    """What the numbers of the items may be written as that the row leads to; nothing where it leads to none."""
    titles = row.css("a.title")
    if not titles:
        return set()
    own = str(titles[0].attributes["href"]).partition("?")[0].rpartition("/")[2]
    return set().union(*(_written(item) for item in _items(given, own)))


def _items(value: Any, own: str) -> Iterator[Any]:
    """The objects that have this id as a member."""
    if isinstance(value, dict):
        if own in [one for one in value.values() if isinstance(one, str)]:
            yield value
        for one in value.values():
            yield from _items(one, own)
    elif isinstance(value, list):
        for one in value:
            yield from _items(one, own)


def _written(value: Any) -> set[str]:
    """As what the numbers of a value, the lengths of its lists and the differences of its members may be written."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return set()
    if isinstance(value, int | float):
        return _forms(value)
    found = {rendering.number(len(value))}
    inner = list(value.values()) if isinstance(value, dict) else value
    for one in inner:
        found |= _written(one)
    if isinstance(value, dict):
        plain = [one for one in inner if isinstance(one, int | float) and not isinstance(one, bool)]
        for one in plain:
            for other in plain:
                found |= _forms(abs(one - other))
    return found


def _forms(value: float) -> set[str]:
    said = {
        rendering.number(value),
        rendering.tenths(value),
        rendering.percent(value),
        rendering.tenths(value / 1_000),
        rendering.number(value / 1_000),
        f"{value:,.2f}",
        f"{value:,.3f}",
        str(value),
    }
    return {token for one in said for token in TOKEN.findall(one)}
