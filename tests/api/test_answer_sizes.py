"""No answer of a GET passes what a function may answer, and what does not fit can be read on."""

import dataclasses
import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.http import answers, parts
from chalicelib.http.endpoints import Endpoint
from chalicelib.operations import websites
from chalicelib.rules import registry
from chalicelib.store import speed
from tests.api import largest
from tests.api.client import Client
from tests.api.conftest import House, settle
from tests.api.operations import READS, name
from tests.servers.wire import WireServer

MOST_BYTES = 6_000_000  # Lambda takes 6,291,556 with headers


@pytest.fixture
def house(store: None) -> House:
    return settle(plan="enterprise")


def test_every_get_operation_is_tested_with_its_largest_answer() -> None:
    assert largest.LARGEST.keys() == {endpoint.operation_id for endpoint in READS}


@pytest.mark.parametrize("endpoint", READS, ids=name)
def test_the_largest_answer_to_each_get_request_is_smaller_than_6_mb(
    endpoint: Endpoint, house: House, loopback_allowed: None
) -> None:
    with WireServer(largest.LIVE_FILES) as server:
        if endpoint.operation_id in ("read_llms_txt", "read_ai_crawlers"):
            house = dataclasses.replace(house, site=websites.add(OPERATOR, house.workspace_id, server.url()))
        path = largest.LARGEST[endpoint.operation_id](house)
        received = Client(house.key).get(path)
    assert received.status == 200
    assert len(received.text.encode()) < MOST_BYTES
    assert len(json.dumps(received.text)) < MOST_BYTES  # as a function hands it to the gateway


def test_an_answer_that_is_too_large_is_an_error_with_a_request_id(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The gateway would replace such an answer by an error page of its own."""
    monkeypatch.setattr(answers, "LARGEST_BYTES", 1_000)
    received = Client(house.key).get("/plans")
    assert (received.status, received.code) == (500, "internal")
    assert received.json["error"]["requestId"] == received.headers["x-request-id"]


class _Text(answers.Shape):
    text: str


class _Texts(answers.Shape):
    offset: int
    texts: list[_Text]
    next_offset: int | None = None
    truncated: bool = False


def test_a_list_item_that_is_larger_than_an_answer_may_be_is_an_error() -> None:
    """An empty page with a next offset would make a client repeat the request forever."""
    texts = [_Text("short"), _Text("x" * MOST_BYTES)]
    first = _Texts(0, texts)
    parts.encoded(first, (parts.listed("texts"),))
    assert (len(first.texts), first.next_offset) == (1, 1)
    with pytest.raises(RuntimeError, match="texts"):
        parts.encoded(_Texts(1, texts[1:]), (parts.listed("texts"),))


# -- reading on ----------------------------------------------------------------------------------------


class Walk(NamedTuple):
    """A list that is read on: by which parameter, from which member, and what tells its items apart.

    ``sizes``: how much of everything there is, in place of what ``largest`` stores.
    """

    operation: str
    parameter: str
    following: Callable[[Any], object]
    items: Callable[[Any], list[Any]]
    expected: int
    sizes: Mapping[str, int] = {}


def _prompts(body: Any) -> list[Any]:
    shown = [[prompt["promptId"] for prompt in week["prompts"]] for week in body["weeks"]]
    assert len(shown) == 12 and len({len(week) for week in shown}) == 1
    return shown[0]


def _by(member: str, of: str) -> Callable[[Any], list[Any]]:
    return lambda body: [one[member] for one in body[of]]


def _next(body: Any) -> object:
    return body["nextOffset"]


ISSUE = {"AFFECTED": 40, "CHANGED": 30}
ANALYTICS = {"LANDINGS": 60, "EVENTS": 30}
SEARCH = {"LONGEST_KEY": 2_000}
REPORT = {"REPORTED": 6}
VISIBILITY = {"PROMPTS": 14, "PROVIDERS": 1}
WALKS = (
    Walk("list_sites", "offset", _next, _by("name", "websites"), 602, {"WEBSITES": 600}),
    Walk("read_issue", "pages_offset", lambda body: body["pagesNextOffset"], _by("pageId", "pages"), 40, ISSUE),
    Walk("read_issue", "pagesOffset", lambda body: body["pagesNextOffset"], _by("pageId", "pages"), 40, ISSUE),
    Walk(
        "read_issue",
        "suggestions_offset",
        lambda body: body["suggestionsNextOffset"],
        _by("pageId", "suggestions"),
        40,
        ISSUE,
    ),
    Walk(
        "read_issue",
        "changes_offset",
        lambda body: body["lastChange"]["changesNextOffset"],
        lambda body: [one["url"] for one in body["lastChange"]["changes"]],
        30,
        ISSUE,
    ),
    Walk("read_batch", "offset", _next, _by("url", "changes"), 30, ISSUE),
    Walk("list_changes", "cursor", lambda body: body["nextCursor"], _by("batchId", "batches"), 30),
    Walk("read_issue_history", "offset", _next, _by("reason", "events"), 1_000, {"LOGGED": 1_000}),
    Walk("read_report", "offset", _next, _by("fingerprint", "findings"), 6 * len(registry.RULES), REPORT),
    Walk("list_pages", "offset", _next, _by("id", "pages"), 30, {"PAGES": 30}),
    Walk("read_search_rows", "cursor", lambda body: body["nextCursor"], _by("query", "rows"), 80, SEARCH),
    Walk("list_topics", "offset", _next, _by("id", "topics"), 60, SEARCH),
    Walk("read_landing_pages", "offset", _next, _by("page", "rows"), 60, ANALYTICS),
    Walk("read_landing_pages", "cursor", lambda body: body["nextCursor"], _by("page", "rows"), 60, ANALYTICS),
    Walk("read_visibility", "offset", _next, _prompts, 14, VISIBILITY),
    Walk("read_visibility_gaps", "offset", _next, _by("promptId", "gaps"), 14, VISIBILITY),
    Walk("read_performance", "offset", _next, _by("url", "pages"), 320),
    Walk("list_agentic", "offset", _next, _by("url", "results"), 12, {"RESULTS": 12, "CHECKS": 3}),
)


def shorten(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on answers end at about a tenth of their length."""
    monkeypatch.setattr(answers, "LARGEST_BYTES", 600_000)
    monkeypatch.setattr(answers, "LARGEST_CARRIED", 720_000)
    monkeypatch.setattr(parts, "LARGEST_ITEM", 100_000)


@pytest.mark.parametrize("walk", WALKS, ids=lambda walk: f"{walk.operation}-{walk.parameter}")
def test_all_rows_of_a_shortened_list_can_be_read_page_by_page(
    walk: Walk, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each answer is small enough, and together they contain every item once."""
    for name_, value in walk.sizes.items():
        monkeypatch.setattr(largest, name_, value)
    monkeypatch.setattr(speed, "MOST_RESULTS", 20)
    path = largest.LARGEST[walk.operation](house)
    shorten(monkeypatch)
    client, found, asked = Client(house.key), [], ""
    for _ in range(walk.expected):
        received = client.get(path + asked)
        assert len(received.text.encode()) <= 600_000 and len(json.dumps(received.text)) <= 720_000
        found += walk.items(received.json)
        following = walk.following(received.json)
        if following is None:
            break
        asked = f"{'&' if '?' in path else '?'}{walk.parameter}={following}"
    assert following is None and asked
    assert len(found) == len(set(found)) == walk.expected


def test_a_shortened_list_shows_its_full_length(house: House) -> None:
    client = Client(house.key)
    body = client.get(largest.issue(house)).json
    assert body["pagesTruncated"] and body["pagesTotal"] == largest.AFFECTED
    assert body["suggestionsTruncated"] and body["suggestionsTotal"] == largest.AFFECTED
    assert body["suggestionsNextOffset"] == len(body["suggestions"]) < 100
    assert body["lastChange"]["changesTruncated"] and body["lastChange"]["changesTotal"] == largest.CHANGED
    listed = client.get(f"/sites/{house.site.id}/pages?per=1").json
    assert not listed["truncated"] and listed["nextOffset"] == 1
