"""What a CMS sends, and what answers then say of it."""

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.connections import Writer, WriterStatus
from chalicelib.store import connections, websites
from chalicelib.store import content as stored
from chalicelib.store.transactions import commit
from tests.api import seed
from tests.api.client import Client, Received
from tests.api.conftest import House


def item(url: str, /, **changed: Any) -> dict[str, Any]:
    return {"cmsId": url, "url": url, "type": "post", "status": "published", "title": "A post"} | changed


def put(house: House, *items: dict[str, Any]) -> Received:
    headers = {"Content-Type": "application/json"}
    path = f"/sites/{house.site.id}/content"
    return Client(house.key).request("PUT", path, headers=headers, body=json.dumps({"items": items}))


def connect(house: House, **status: Any) -> None:
    website = websites.get(house.workspace_id, house.site.id)
    assert website is not None
    now = clock.now()
    said = WriterStatus(**{"writable": True, "platform": "wordpress", "version": "1.0", "fields": ("title",)} | status)
    writer = Writer(kind="cms", base_url="https://cms.example/", connected_at=now, checked_at=now, status=said)
    commit([connections.shown(website, website.connections.with_writer("cms", writer))])


def test_new_items_are_accepted_and_older_ones_are_ignored(house: House) -> None:
    url = seed.url(house.site, 0)
    changed = datetime.fromtimestamp(clock.now() - 3_600, UTC).replace(microsecond=0)
    elsewhere = timezone(timedelta(hours=1))  # a second earlier, though its text sorts behind
    assert put(house, item(url, modifiedAt=changed.isoformat())).json == {"accepted": 1}
    before = (changed - timedelta(seconds=1)).astimezone(elsewhere).isoformat()
    older = item(url, modifiedAt=before, title="Old")
    assert put(house, older, item(seed.url(house.site, 1))).json == {"accepted": 1}
    assert stored.load(house.site.id).items[url].title == "A post"
    after = (changed + timedelta(minutes=30)).isoformat()
    removed = put(house, item(url, modifiedAt=after, deleted=True))
    assert (removed.status, removed.json) == (202, {"accepted": 1})
    assert not stored.load(house.site.id).items[url].published


@pytest.mark.parametrize(
    ("changed", "code", "param"),
    [
        ({"url": "https://elsewhere.example/"}, "bad_url", "items[1].url"),
        ({"url": "mailto:a@b.example"}, "bad_url", "items[1].url"),
        ({"url": "http://-1.0.0.1/"}, "bad_url", "items[1].url"),
        ({"modifiedAt": "2026-11-22 02:00"}, "bad_modified_at", "items[1].modifiedAt"),
        ({"modifiedAt": "9999-99-99T00:00:00Z"}, "bad_modified_at", "items[1].modifiedAt"),
        ({"modifiedAt": "0001-01-01T00:00:00+23:59"}, "bad_modified_at", "items[1].modifiedAt"),
        ({"cmsId": ""}, "bad_body", "items[1].cmsId"),
        ({"title": "x" * 2_001}, "bad_body", "items[1].title"),
        ({"fields": {"keywords": "a"}}, "bad_body", "items[1].fields.keywords"),
        ({"fields": {"noindex": "true"}}, "bad_body", "items[1].fields.noindex"),
    ],
)
def test_one_invalid_item_rejects_the_whole_request(
    house: House, changed: dict[str, Any], code: str, param: str
) -> None:
    received = put(house, item(seed.url(house.site, 0)), item(seed.url(house.site, 1), **changed))
    assert (received.status, received.code, received.json["error"]["param"]) == (400, code, param)
    assert stored.load(house.site.id).version == 0


def test_an_empty_list_and_too_many_items_are_refused(house: House) -> None:
    assert put(house).code == "bad_body"
    many = [item(f"{seed.url(house.site, 0)}?{number}") for number in range(501)]
    assert put(house, *many).code == "bad_body"
    assert put(house, *many[:500]).json == {"accepted": 500}


def test_a_body_of_4_mb_is_accepted(house: House) -> None:
    url = seed.url(house.site, 0)
    fields = {"title": "t" * 2_000, "meta_description": "d" * 2_000, "canonical": "c" * 2_000}
    items = [item(f"{url}?{number}", title="x" * 1_500, fields=fields) for number in range(500)]
    assert len(json.dumps({"items": items})) > 3_800_000
    assert put(house, *items).json == {"accepted": 500}


def test_an_issue_says_for_each_page_whether_a_suggested_value_can_be_written(house: House) -> None:
    seed.audited(house.site)
    path = f"/sites/{house.site.id}/issues/{ids.issue_id(house.site.id, seed.PAGE_RULE.id)}"

    def reasons() -> list[str | None]:
        found = Client(house.key).get(path).json["suggestions"]
        assert all(one["writable"] == ("notWritableReason" not in one) for one in found)
        return [one.get("notWritableReason") for one in found]

    assert all("No CMS connection" in (reason or "") for reason in reasons())
    connect(house)
    assert all("has not sent its content" in (reason or "") for reason in reasons())
    put(house, item(seed.url(house.site, 0)), item(seed.url(house.site, 1), status="draft"))
    first, second = reasons()
    assert first is None and "not a published content item" in (second or "")
    connect(house, writable=False, reason="The theme prints its own titles.")
    assert reasons() == ["The theme prints its own titles."] * 2


def test_the_website_shows_its_connection_and_the_age_of_its_content(house: House) -> None:
    seed.audited(house.site)
    path = f"/sites/{house.site.id}"
    before = Client(house.key).get(path).json
    assert before["cms"] == {
        "connected": False,
        "writable": False,
        "kind": None,
        "seoPlugin": None,
        "writableFields": [],
    }
    connect(house, seo_plugin="Yoast SEO")
    put(house, item(seed.url(house.site, 0)))
    clock.set_offset(3 * 86_400 + 60)
    after = Client(house.key).get(path).json
    assert after["cms"] == {
        "connected": True,
        "writable": True,
        "kind": "wordpress",
        "seoPlugin": "Yoast SEO",
        "writableFields": ["title"],
    }
    cms, shop, *_ = after["connections"]
    assert (cms["kind"], cms["connected"], cms["rowsLastImport"], cms["staleDays"]) == ("cms", True, 1, 3)
    assert cms["error"] is None and cms["lastImportAt"].endswith("Z")
    assert (shop["kind"], shop["connected"], shop["lastImportAt"]) == ("shop", False, None)


def test_the_website_shows_why_the_last_content_sync_failed(house: House) -> None:
    connect(house)
    for error, told in (("It is down.", "It is down."), (None, None)):
        now = websites.get(house.site.workspace_id, house.site.id)
        assert now is not None and now.connections.cms is not None
        writer = now.connections.cms.not_imported(error)
        commit([connections.shown(now, now.connections.with_writer("cms", writer))])
        cms = Client(house.key).get(f"/sites/{house.site.id}").json["connections"][0]
        assert (cms["connected"], cms["error"], cms["lastImportAt"]) == (True, told, None)
