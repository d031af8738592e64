"""The connection to a shop: what is asked, how a change that comes twice is answered, what is refused, and how long it
waits for points."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.connectors import shop as shop_module
from chalicelib.connectors.errors import Declined, Quota, Unavailable
from chalicelib.connectors.shop import HttpShop, is_token, shop_address
from chalicelib.domain.connector import shop_changes, shop_notes
from chalicelib.domain.connector.messages import Change, Outcome
from chalicelib.settings.reading import forget_settings
from local.standins.cms import Entry
from local.standins.shop import REFUSAL, TOKEN, Exchange, Shop
from local.standins.shop_items import ListShop
from tests.connectors.shops import ADDRESS, CALLS, CHANGE, asking, every_call, shop
from tests.connectors.writing import change


@pytest.fixture
def standin(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    found = Shop(ListShop(4))
    asking(monkeypatch, found.url)
    yield found
    found.stop()
    monkeypatch.undo()
    forget_settings()


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch, standin: Shop) -> list[float]:
    """How long was waited; nobody really waits, but the shop's points come back."""
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        standin.restore(seconds)

    monkeypatch.setattr(clock, "sleep", sleep)
    return waits


class Item:
    """One of the stand-in's items."""

    def __init__(self, standin: Shop, name: str = "products:2") -> None:
        self.name, self.item = name, standin.id_of(name)
        self.url = standin.site.entries()[name].url


def last_request(standin: Shop) -> tuple[Exchange, dict[str, Any]]:
    return standin.exchanges[-1], json.loads(standin.exchanges[-1].body)


# -- what is asked -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("alderfell.myshopify.com", "https://alderfell.myshopify.com"),
        (" https://Alderfell.myshopify.com/ ", "https://alderfell.myshopify.com"),
        ("alderfell.example", None),
        ("http://alderfell.myshopify.com", None),
        ("alderfell.myshopify.com:8443", None),
        ("alderfell.myshopify.com/../x", None),
        ("alderfell.myshopify.com.evil.example", None),
        ("x@alderfell.myshopify.com", None),
        ("a.b.myshopify.com", None),
        (".myshopify.com", None),
        ("myshopify.com", None),
        ("alder\nfell.myshopify.com", None),
        ("a" * 100 + ".myshopify.com", None),
        ("", None),
    ],
)
def test_only_a_myshopify_name_is_accepted_as_a_shop(given: str, address: str | None) -> None:
    assert shop_address(given) == address


def test_a_token_must_fit_into_a_header() -> None:
    assert is_token("shpat_0123456789abcdef") and is_token("x" * 255)
    assert not any(map(is_token, ("", " ", "a b", "a\r\nX-Other: 1", "é", "x" * 256)))


def test_a_request_contains_the_api_version_and_the_token(standin: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_API_VERSION", "2027-01")
    forget_settings()
    status = shop().status()
    exchange, body = last_request(standin)
    assert exchange.path == "/admin/api/2027-01/graphql.json" and exchange.headers["x-shopify-access-token"] == TOKEN
    assert body["query"].startswith("query About") and TOKEN not in exchange.body.decode()
    assert (status.platform, status.version, status.site_url) == ("shopify", "2027-01", "https://shop.example/")
    assert status.fields == ["title", "meta_description", "noindex", "alt"] and status.files == [] and status.writable
    assert status.redirects and status.protocol == 2


def test_by_default_requests_go_to_the_address_of_the_shop(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def call(method: str, url: str, *_: Any, **more: Any) -> Any:
        asked.append(url)
        assert (method, more["allow_addresses"]) == ("POST", "")
        raise shop_module.NoAnswer("nobody is there")

    monkeypatch.setattr(shop_module, "call", call)
    forget_settings()
    with pytest.raises(Unavailable, match="nobody is there"):
        shop().status()
    assert asked == [f"{ADDRESS}/admin/api/2026-04/graphql.json"]


@pytest.mark.parametrize(
    ("scopes", "writable", "reason"),
    [
        (("write_products", "write_content"), True, None),
        (("write_products",), True, None),
        (("write_online_store_pages",), True, None),
        (("read_products", "read_content"), False, "write_content and write_products"),
        ((), False, "write_content and write_products"),
    ],
)
def test_the_scopes_decide_which_fields_are_writable(
    standin: Shop, scopes: tuple[str, ...], writable: bool, reason: str | None
) -> None:
    standin.scopes = scopes
    status = shop().status()
    assert (status.writable, bool(status.fields), status.redirects) == (writable, writable, False)
    assert "alt" not in status.fields
    assert (reason is None) == (status.reason is None) and (reason or "") in (status.reason or "")


@pytest.mark.parametrize(
    ("scope", "fields", "redirects"),
    [
        ("write_files", ["alt"], False),
        ("write_images", ["alt"], False),
        ("write_online_store_navigation", [], True),
    ],
)
def test_write_access_to_only_files_or_only_redirects_makes_the_shop_writable(
    standin: Shop, scope: str, fields: list[str], redirects: bool
) -> None:
    standin.scopes = ("read_products", scope)
    status = shop().status()
    assert (status.writable, status.fields, status.redirects, status.reason) == (True, fields, redirects, None)


def test_only_items_allowed_by_the_scopes_are_listed(standin: Shop) -> None:
    def types() -> list[str]:
        return sorted({item.type for item in shop().items().items})

    assert types() == ["collection", "page", "product"]
    standin.scopes = ("read_online_store_pages",)
    assert types() == ["page"]
    standin.scopes = ("write_products",)
    assert types() == ["collection", "product"]
    standin.scopes = ("read_orders",)
    with pytest.raises(Declined, match="grant the scope"):
        shop().items()


def test_if_a_scope_is_lost_between_two_pages_of_a_list_the_rest_is_still_listed(standin: Shop) -> None:
    page = shop().items(None, 2)
    standin.scopes = ("read_content",)
    rest = shop().items(page.next)
    assert {item.type for item in rest.items} == {"page"} and rest.next is None


def test_no_item_is_repeated_if_a_scope_is_lost_between_two_pages(standin: Shop) -> None:
    page = shop().items(None, 10)
    assert page.next is not None and page.next.startswith("pages:")
    standin.scopes = ("read_products",)
    rest = shop().items(page.next)
    assert (rest.items, rest.next) == ([], None)


def test_item_addresses_use_the_primary_domain_of_the_shop(standin: Shop) -> None:
    urls = [item.url for item in shop().items().items]
    assert urls == [
        f"https://shop.example/{kind}/{n}" for kind in ("products", "collections", "pages") for n in range(1, 5)
    ]


def test_listing_many_items_takes_a_bounded_number_of_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    standin = Shop(ListShop(700))
    asking(monkeypatch, standin.url)
    try:
        found, after, calls = [], None, 0
        while True:
            before = len(standin.exchanges)
            page = shop().items(after)
            found += page.items
            calls += 1
            assert len(page.items) == 200 or page.next is None
            assert len(standin.exchanges) - before <= 1 + shop_module.MOST_REQUESTS
            after = page.next
            if after is None:
                break
        assert len(found) == len({item.cms_id for item in found}) == 2_100 and calls == 11
    finally:
        standin.stop()


def test_long_texts_of_a_shop_are_not_imported(standin: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = dict(standin.site.entries())
    first = entries["products:1"]
    entries["products:1"] = Entry(first.url, first.type, "n" * 5_000)
    monkeypatch.setattr(standin.site, "entries", lambda: entries)
    standin.edit("products:1", "title", "t" * 5_000)
    item = shop().items().items[0]
    assert len(item.title) == 1_000 and item.fields.title is None
    refused = shop().change(change(Item(standin, "products:1"), "title", "X"))
    assert refused.state == "refused" and "longer" in (refused.reason or "")


# -- a change that comes twice -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["products:2", "collections:2", "pages:2"])
@pytest.mark.parametrize("value", ["New", None])
@pytest.mark.parametrize("editor", [None, "An editor's"])
def test_after_a_lost_answer_a_retry_keeps_a_value_that_an_editor_wrote(
    standin: Shop, name: str, value: str | None, editor: str | None
) -> None:
    item = Item(standin, name)
    standin.edit(name, "title", "Old")
    asked = change(item, "title", value)
    standin.misbehave("partial")  # what is asked is done, and nobody is told
    with pytest.raises(Unavailable):
        shop().change(asked)  # already the reading breaks off
    standin.misbehave("none")
    assert standin.writes == [] and standin.value(name, "title") == "Old"
    lost = _with_lost_answer(standin, asked)
    if editor is not None:
        standin.edit(name, "title", editor)
    for _ in range(2):
        outcome = shop().change(asked)
        assert (outcome.state, outcome.before, outcome.after) == ("written", "Old", value)
    assert standin.value(name, "title") == (editor or value) and standin.writes == lost
    back = shop().change(change(item, "title", None, restore=outcome.undo))
    if editor is None:
        assert (back.state, standin.value(name, "title")) == ("written", "Old")
    else:
        assert (back.state, back.reason) == ("refused", shop_notes.CHANGED)


def _with_lost_answer(standin: Shop, asked: Change) -> list[tuple[str, str, str | None]]:
    """Lets a change be done and its last answer be lost; gives what was written."""
    real = HttpShop._post
    asked_before = len(standin.exchanges)

    def post(self: HttpShop, body: bytes, deadline: float) -> Any:
        reply = real(self, body, deadline)
        if standin.writes and not standin.counts["metafieldsDelete"] and _is_two_steps(asked, standin):
            return reply
        if standin.writes:
            raise Unavailable("the answer was lost")
        return reply

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HttpShop, "_post", post)
        with pytest.raises(Unavailable):
            shop().change(asked)
    assert len(standin.exchanges) > asked_before
    return list(standin.writes)


def _is_two_steps(asked: Change, standin: Shop) -> bool:
    return asked.value is None and "/Page/" in asked.cms_id


@pytest.mark.parametrize(("name", "field", "old"), [("pages:1", "title", "Old"), ("products:1", "noindex", "true")])
def test_if_the_removal_of_a_value_was_interrupted_a_retry_completes_it(
    standin: Shop, name: str, field: Any, old: str
) -> None:
    item = Item(standin, name)
    standin.edit(name, field, old)
    asked, real = change(item, field, None), HttpShop._post

    def post(self: HttpShop, body: bytes, deadline: float) -> Any:
        if b"RemoveMetafields" in body:
            raise Unavailable("killed")
        return real(self, body, deadline)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HttpShop, "_post", post)
        with pytest.raises(Unavailable):
            shop().change(asked)
    assert standin.value(name, field) == old
    outcome = shop().change(asked)
    assert (outcome.before, outcome.after, standin.value(name, field)) == (old, None, None)
    assert shop().change(asked) == outcome


@pytest.mark.parametrize(("name", "field"), [("pages:1", "title"), ("pages:1", "noindex"), ("products:1", "noindex")])
def test_an_editors_change_between_read_and_write_is_not_overwritten(standin: Shop, name: str, field: Any) -> None:
    asked = change(Item(standin, name), field, "true" if field == "noindex" else "Ours")
    theirs = "false" if field == "noindex" else "An editor's"

    def meanwhile(outcome: Callable[[], Outcome]) -> Outcome:
        real = HttpShop._read

        def read(self: HttpShop, one: Change, deadline: float) -> Any:
            found = real(self, one, deadline)
            standin.edit(name, field, theirs)
            return found

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(HttpShop, "_read", read)
            return outcome()

    outcome = meanwhile(lambda: shop().change(asked))
    assert (outcome.state, outcome.reason) == ("refused", shop_notes.CHANGING)
    assert standin.value(name, field) == theirs and standin.writes == [] and standin.notes() == 0


def test_storing_the_record_of_a_write_leaves_the_other_values_of_the_item_unchanged(standin: Shop) -> None:
    item = Item(standin)
    before = shop().items()
    shop().change(change(item, "title", "Ours"))
    shop().change(change(item, "title", None))
    assert standin.notes() == 1 and shop().items() == before
    for broken in ("", "null", "[]", '{"id": 1}', "[" * 50_000):
        standin._items.metafields(item.name)["app--1--wos", "title"] = broken
        assert shop().change(change(item, "title", "Ours again")).state == "written"


def test_writing_one_seo_field_leaves_the_other_seo_field_unchanged(standin: Shop) -> None:
    standin.edit("products:2", "meta_description", "Stays")
    shop().change(change(Item(standin), "title", "New"))
    assert standin.value("products:2", "meta_description") == "Stays"


# -- what is refused ---------------------------------------------------------------------------------------


def test_a_canonical_is_refused_without_a_request_to_the_shop(standin: Shop) -> None:
    outcome = shop().change(change(Item(standin), "canonical", "https://shop.example/products/1"))
    assert (outcome.state, outcome.reason) == ("refused", shop_changes.NO_CANONICAL)
    assert not standin.exchanges


def test_user_errors_of_shopify_become_the_reason_of_a_refusal(standin: Shop) -> None:
    standin.misbehave("refuse")
    for name in ("products:1", "collections:1", "pages:1"):
        for field, value in (("title", "X"), ("noindex", "true")):
            outcome = shop().change(change(Item(standin, name), field, value))  # type: ignore[arg-type]
            assert outcome.state == "refused" and REFUSAL in (outcome.reason or "")
    assert standin.writes == [] and standin.notes() == 0


def test_an_item_type_outside_the_scopes_is_refused_and_others_are_written(standin: Shop) -> None:
    standin.scopes = ("write_products", "read_content")
    refused = shop().change(change(Item(standin, "pages:1"), "title", "X"))
    assert refused.state == "refused" and "write_content" in (refused.reason or "")
    assert shop().change(change(Item(standin), "title", "X")).state == "written"


def test_unpublished_items_are_neither_listed_nor_written(standin: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Shop._object

    def hidden(self: Shop, gid: str, item: str) -> dict[str, Any]:
        found = real(self, gid, item)
        return (
            found
            | ({"onlineStoreUrl": None} if item == "products:2" else {})
            | ({"isPublished": False} if item == "pages:2" else {})
        )

    monkeypatch.setattr(Shop, "_object", hidden)
    told = {item.cms_id for item in shop().items().items}
    for name in ("products:2", "pages:2"):
        item = Item(standin, name)
        assert item.item not in told and len(told) == 10
        assert shop().change(change(item, "title", "X")).state == "refused"


# -- points ------------------------------------------------------------------------------------------------


def test_calls_wait_until_enough_rate_limit_points_are_free(standin: Shop, slept: list[float]) -> None:
    standin.points = -4_000.0
    assert shop().status().writable
    (waited,) = slept
    assert 0 < waited <= 4.01


@every_call
def test_after_several_waits_a_call_gives_up_and_reports_the_retry_time(
    call: str, standin: Shop, slept: list[float]
) -> None:
    standin.misbehave("quota")
    with pytest.raises(Quota) as caught:
        CALLS[call](shop())
    assert len(slept) <= shop_module.MOST_WAITS and set(slept) == {shop_module.LEAST_WAIT}
    assert caught.value.retry_after == shop_module.LEAST_WAIT and standin.writes == []


def test_a_call_fails_at_once_if_the_shop_asks_for_a_wait_beyond_the_time_limit(
    standin: Shop, slept: list[float]
) -> None:
    standin.points = -90_000.0
    with pytest.raises(Quota) as caught:
        shop().change(CHANGE)
    assert slept == [] and caught.value.retry_after is not None and 80 < caught.value.retry_after <= 90.1
