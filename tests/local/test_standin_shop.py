"""The stand-in for a shop: that what values are written through holds over it, what it shows, and its faults."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.connectors.errors import NoAccess, Quota, Unavailable
from chalicelib.connectors.shop import HttpShop
from chalicelib.domain.connector.messages import Field
from chalicelib.settings.reading import forget_settings
from conformance.checks import VALUES
from local.demo.serve import start
from local.demo.variants import FAULTY
from local.standins.shop import FAULTS, NAME, TOKEN, Shop
from local.standins.shop_items import DemoShop, ListShop
from tests.connectors import writing


class Listed:
    """A stand-in over a list of items, and one of them."""

    values: Mapping[Field, str] = {field: value for field, value in VALUES.items() if field != "canonical"}

    def __init__(self, kind: str) -> None:
        self.site = ListShop(4)
        self.shop = Shop(self.site)
        self.name = f"{kind}:2"
        self.item, self.url = self.shop.id_of(self.name), f"https://shop.example/{kind}/2"

    def connect(self) -> HttpShop:
        return HttpShop(f"https://{NAME}", TOKEN)

    def edit(self, field: Field, value: str | None) -> None:
        self.shop.edit(self.name, field, value)

    def shown(self, field: Field) -> str | None:
        return self.site.shown.get(self.name, {}).get(field)

    def stored(self) -> Any:
        return {item: values for item, values in self.site.shown.items() if values}


@pytest.fixture(params=["products", "collections", "pages"])
def subject(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Listed]:
    listed = Listed(request.param)
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setenv("SHOP_ADMIN_URL", listed.shop.url)
    forget_settings()
    yield listed
    listed.shop.stop()
    monkeypatch.undo()
    forget_settings()


@writing.each
def test_values_can_be_written_through_the_shop_stand_in(
    check: Callable[[writing.Subject], None], subject: Listed
) -> None:
    check(subject)


def test_the_shop_stand_in_fails_in_the_requested_way(subject: Listed) -> None:
    shop, standin = subject.connect(), subject.shop
    asked = writing.change(subject, "title", "X")
    for fault, error in (("access", NoAccess), ("down", Unavailable), ("fail", Unavailable), ("partial", Unavailable)):
        standin.misbehave(fault)
        with pytest.raises(error):
            shop.change(asked)
    standin.misbehave("refuse")
    assert shop.change(asked).state == "refused" and shop.status().writable and standin.writes == []
    standin.misbehave("none")
    assert shop.change(asked).state == "written" and standin.writes == [(subject.name, "title", "X")]
    with pytest.raises(ValueError, match="not a fault"):
        standin.misbehave("tired")
    assert FAULTS[0] == "none"


def test_the_shop_stand_in_can_answer_that_no_rate_limit_points_are_left(
    subject: Listed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "sleep", lambda seconds: None)
    subject.shop.misbehave("quota")
    with pytest.raises(Quota):
        subject.connect().status()
    assert subject.shop.counts == {}


def test_hidden_writes_become_visible_later(subject: Listed) -> None:
    subject.shop.misbehave("hide_writes")
    assert subject.connect().change(writing.change(subject, "title", "Hidden")).state == "written"
    assert subject.shown("title") is None and subject.shop.value(subject.name, "title") == "Hidden"
    subject.shop.misbehave("none")
    assert subject.shown("title") == "Hidden"


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ("query A { shop { nickname } }", "'nickname' doesn't exist on type 'Shop'"),
        ("query A { shop }", "must have selections"),
        ("query A { shop { name { x } } }", "scalars"),
        ("query A { shop(id: 1) { name } }", "doesn't accept arguments"),
        ("query A { shop { name }", "unexpected"),
        ("subscription A { shop { name } }", "unexpected"),
        ('query A { node(id: "gid:1") { __typename } }', "Invalid global id"),
        ("query A { products(first: 1000, sortKey: ID) { nodes { id } } }", "first is 1 to 250"),
        ('query A { products(first: 1, after: "x", sortKey: ID) { nodes { id } } }', "Invalid cursor"),
        ("query A { \x00 }", "syntax error"),
    ],
)
def test_the_shop_stand_in_rejects_graphql_requests_that_shopify_would_reject(
    subject: Listed, document: str, said: str
) -> None:
    answer = subject.shop._answered({"query": document, "variables": {}})
    assert said in answer["errors"][0]["message"]


def test_shop_pages_of_the_demo_website_show_written_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = start(FAULTY, tls=None, host="127.0.0.1")
    standin = Shop(DemoShop(server))
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setenv("SHOP_ADMIN_URL", standin.url)
    forget_settings()
    try:
        shop = HttpShop(f"https://{NAME}", TOKEN)
        told = shop.items().items
        assert len(told) > 10 and all("/shop/" in item.url for item in told)
        item = next(one for one in told if one.url.endswith("/shop/tents/skarn-3/"))
        path = "/shop/tents/skarn-3/"
        subject: Any = type("Item", (), {"item": item.cms_id, "url": item.url})
        before = server.answers()[path].plain.body
        outcome = shop.change(writing.change(subject, "title", "Skarn 3 & more"))
        assert b"<title>Skarn 3 &amp; more</title>" in server.answers()[path].plain.body
        shop.change(writing.change(subject, "title", None, restore=outcome.undo))
        assert server.answers()[path].plain.body == before
    finally:
        standin.stop()
        server.stop()
        monkeypatch.undo()
        forget_settings()
