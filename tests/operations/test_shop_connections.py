"""Connecting a website to its shop, looking after the connection, and what comes of it: against the stand-in, over the
wire."""

import contextlib
import itertools
from collections.abc import Iterator
from typing import Any, Literal

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.connections import BROKEN_FAILURES, Writer
from chalicelib.operations import accounts, connections, websites
from chalicelib.operations.connections import Linked
from chalicelib.operations.errors import Refused
from chalicelib.settings.reading import forget_settings
from chalicelib.store import api_keys, content, items, jobs
from chalicelib.store import connections as stored
from chalicelib.store import websites as website_records
from chalicelib.workers import imports
from local.standins.cms import Cms, ListSite
from local.standins.shop import NAME, TOKEN, Shop
from local.standins.shop_items import ListShop
from tests import aws, webhooks
from tests.connections import API
from tests.crash.crashing import Killed, killed_at


class House:
    """A website, and the stand-in of the shop that it can be connected to."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.workspace_id = accounts.create_workspace(OPERATOR, "Acme", "agency").id
        self.person_id = accounts.add_person(OPERATOR, self.workspace_id, "owner@acme.example", "owner").id
        self.site_id = websites.add(OPERATOR, self.workspace_id, "https://shop.example/").id

    def link(self, **changed: str) -> Linked:
        given = {"site_id": self.site_id, "shop": NAME, "access_token": TOKEN, "person_id": self.person_id} | changed
        return connections.link_shop(OPERATOR, given.pop("site_id"), **given)

    def writer(self) -> Writer | None:
        website = website_records.get(self.workspace_id, self.site_id)
        assert website is not None
        return website.connections.shop

    def live_keys(self) -> list[str]:
        return [key.id for key in api_keys.list_all(self.workspace_id) if key.revoked_at is None]

    def do(self, job_id: str) -> None:
        """The job, when its time has come."""
        job = jobs.get(self.site_id, job_id)
        assert job is not None
        clock.set_offset(clock.offset() + max(0.0, job.due_at - clock.now()) + 1)
        aws.purge("imports")
        imports.handle({"siteId": self.site_id, "jobId": job.id}, None)


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    shop = Shop(ListShop(70))
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setenv("SHOP_ADMIN_URL", shop.url)
    forget_settings()
    yield House(shop)
    shop.stop()
    monkeypatch.undo()
    forget_settings()


def test_the_shop_token_is_encrypted_and_keys_are_not_stored_in_clear(house: House) -> None:
    linked = house.link()
    assert house.writer() == linked.writer and linked.writer.writable
    assert (linked.writer.base_url, linked.writer.status.platform) == (f"https://{NAME}", "shopify")
    assert linked.writer.status.fields == ("alt", "meta_description", "noindex", "title")
    credentials = stored.get(house.site_id, "shop")
    assert credentials is not None and credentials.secret().reveal() == TOKEN
    assert house.live_keys() == [credentials.key_id]
    rows = [items.get(table, pk, sk) for table in ("sites", "accounts") for pk, sk in aws.rows(table)]
    assert not [row for row in rows if TOKEN in str(row) or linked.website_key in str(row)]
    assert TOKEN not in repr(credentials)


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"shop": "shop.example"}, "bad_credentials"),
        ({"shop": ""}, "bad_credentials"),
        ({"shop": "169.254.169.254"}, "bad_credentials"),
        ({"access_token": ""}, "bad_credentials"),
        ({"access_token": "a b"}, "bad_credentials"),
        ({"access_token": "a\r\nX-Other: b"}, "bad_credentials"),
        ({"site_id": "site_unknown"}, "not_found"),
    ],
)
def test_invalid_values_are_refused_without_calling_the_shop(house: House, changed: dict[str, str], code: str) -> None:
    with pytest.raises(Refused) as refused:
        house.link(**changed)
    assert refused.value.code == code and not house.shop.exchanges and house.live_keys() == []


@pytest.mark.parametrize(
    ("changed", "fault", "code", "words"),
    [
        ({"access_token": "another"}, "none", "cannot_connect", "access token"),
        ({}, "down", "cannot_connect", "503"),
        ({"person_id": "person_unknown"}, "none", "not_found", ""),
    ],
)
def test_nothing_is_stored_when_the_shop_refuses_the_connection(
    house: House, changed: dict[str, str], fault: str, code: str, words: str
) -> None:
    house.shop.misbehave(fault)
    with pytest.raises(Refused) as refused:
        house.link(**changed)
    assert refused.value.code == code and words in refused.value.message
    assert (house.live_keys(), house.writer(), stored.get(house.site_id, "shop", "pairing")) == ([], None, None)


def test_connecting_again_revokes_the_previous_key(house: House) -> None:
    house.link()
    before = house.live_keys()
    house.shop.misbehave("access")
    with pytest.raises(Refused):
        house.link()
    assert house.live_keys() == before
    house.shop.misbehave("none")
    house.link()
    assert len(house.live_keys()) == 1 and house.live_keys() != before
    connections.remove(OPERATOR, house.site_id, "shop")
    assert house.live_keys() == [] and house.writer() is None and stored.get(house.site_id, "shop") is None


@pytest.mark.parametrize("when", ["before", "after"])
def test_no_working_key_is_left_unrecorded_if_connecting_a_shop_is_killed(
    house: House, when: Literal["before", "after"]
) -> None:
    for number in itertools.count():
        with contextlib.suppress(Killed), killed_at(number, when) as counter:
            house.link()
        rows = [stored.get(house.site_id, "shop", "connected"), stored.get(house.site_id, "shop", "pairing")]
        assert set(house.live_keys()) <= {row.key_id for row in rows if row is not None}
        house.link()
        credentials = stored.get(house.site_id, "shop")
        assert credentials is not None and house.live_keys() == [credentials.key_id]
        if counter.count <= number:
            break
    assert number == 3


def test_the_content_sync_reads_all_content_of_the_shop(house: House) -> None:
    house.shop.edit("products:3", "title", "Own")
    house.shop.edit("pages:4", "noindex", "true")
    house.link()
    house.do("content_sync.shop")
    known = content.load(house.site_id).items
    assert len(known) == 210 and sorted({item.type for item in known.values()}) == ["collection", "page", "product"]
    assert known[house.shop.id_of("products:3")].fields.title == "Own"
    assert known[house.shop.id_of("pages:4")].fields.noindex is True
    writer = house.writer()
    assert writer is not None and (writer.imported_items, writer.trouble) == (210, None)


def test_a_sync_is_retried_later_if_the_shop_throttles_it_for_long(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "sleep", lambda seconds: None)
    house.link()
    house.shop.misbehave("quota")
    house.do("content_sync.shop")
    assert content.load(house.site_id).items == {}
    house.shop.misbehave("none")
    house.shop.points = 20_000.0
    house.do("content_sync.shop")
    assert len(content.load(house.site_id).items) == 210


def test_a_revoked_token_breaks_the_connection_and_sends_one_event(house: House) -> None:
    house.link()
    house.shop.misbehave("access")
    for _ in range(BROKEN_FAILURES + 1):
        house.do("connection_status.shop")
    writer = house.writer()
    assert (
        writer is not None
        and writer.broken
        and not writer.writable
        and "connect the shop again" in (writer.error or "")
    )
    told = [event for event in webhooks.pending() if event.kind == "connection.broken"]
    assert [event.fields["connection"] for event in told] == ["shop"]
    house.shop.misbehave("none")
    house.do("connection_status.shop")
    assert (house.writer() or writer).writable


def test_a_removed_scope_makes_the_connection_read_only(house: House) -> None:
    house.link()
    house.shop.scopes = ("read_products", "read_content")
    found = connections.check(OPERATOR, house.site_id).shop
    assert found is not None and not found.writable and not found.broken and "write_products" in (found.reason or "")


def test_values_are_written_through_the_cms_even_if_a_shop_is_connected_too(house: House) -> None:
    house.link()
    cms = Cms(ListSite(3))
    try:
        connections.pair(OPERATOR, house.site_id, url=cms.url, code=cms.code(), person_id=house.person_id, base_url=API)
        found: Any = website_records.get(house.workspace_id, house.site_id)
        assert found.connections.writer.kind == "cms" and found.connections.shop.writable
        connections.remove(OPERATOR, house.site_id, "cms")
        found = website_records.get(house.workspace_id, house.site_id)
        assert found.connections.writer.kind == "shop"
    finally:
        cms.stop()
