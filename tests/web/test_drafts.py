"""Drafts on the issue's screen: requested for ticked pages, shown with their sentences, used and approved."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from chalicelib.domain import ids
from chalicelib.domain.suggestion import Draft
from chalicelib.operations import drafts
from chalicelib.settings.reading import forget_settings
from chalicelib.store import changes, jobs, pages, websites
from chalicelib.store import drafts as stored
from chalicelib.store.transactions import commit
from chalicelib.web.screens.issue import DRAFT_GONE, NOTHING_TO_DRAFT
from local.standins.assistants import Assistants
from tests import aws
from tests.api.client import Client
from tests.api.conftest import House
from tests.drafts import passed, switch_on
from tests.web.conftest import Browser, viewer
from tests.web.test_issue_approval import found, page_id, sent, suggested

NO_DESCRIPTION = "SEO-ONP-010"
TEXT = "Boots of leather, sewn by hand in two days, and soled again whenever they need it."
BUTTON = "Draft the ticked pages without a value"


@pytest.fixture(scope="module")
def standin() -> Iterator[Assistants]:
    made = Assistants()
    yield made
    made.stop()


@pytest.fixture
def path(house: House, standin: Assistants, monkeypatch: pytest.MonkeyPatch) -> str:
    """The screen of an issue whose pages have no suggestion, where drafts are on."""
    switch_on(monkeypatch, standin)
    passed()
    return found(house, NO_DESCRIPTION, None, 3)


def drafted(house: House, number: int, text: str | None = TEXT, note: str | None = None) -> None:
    """Leave a draft of a page."""
    site = websites.get(house.workspace_id, house.site.id)
    assert site is not None and site.summary is not None
    generation = site.summary.generation
    row = pages.load_row(site.id, generation.crawl_id, generation.partitions, page_id(house, number))
    assert row is not None and row.facts_crawl is not None
    one = Draft(
        text=text,
        note=note,
        rests_on=["We sew <b>boots</b> of leather."] if text else [],
        by="openai gpt-5-mini",
        at=1_700_000_000.0,
        digest="d",
        place=drafts.place_of(row.facts_crawl, row.facts_block),
    )
    known = stored.load(site.id)
    commit([stored.put(site.id, {**known, page_id(house, number): one}, one.at)])


def test_drafts_are_requested_only_for_ticked_pages_without_a_typed_value(
    house: House, browser: Browser, path: str
) -> None:
    screen = browser.get(path)
    assert BUTTON in screen.main
    fields = sent(screen, tick=[page_id(house, 0), page_id(house, 1)], choose="draft")
    fields[f"value-{page_id(house, 1)}"] = "Typed by a person"
    answer = browser.post(path, fields)
    assert answer.status == 200 and "Drafts are being made" in answer.main
    job = jobs.get(house.site.id, drafts.JOB_ID)
    assert job is not None and job.payload["pages"] == [page_id(house, 0)]
    assert [message["kind"] for message in aws.messages("sampling")] == ["drafts"]
    assert sent(answer)[f"value-{page_id(house, 1)}"] == "Typed by a person", "what was typed stays"
    links = [one for one in answer.dom.css("#approve a") if one.text() == "Show the drafts"]
    assert len(links) == 1 and not answer.dom.css("#drafting a"), "it stays when the live part is read again"
    live = browser.get(path).dom.css_first("#drafting")
    assert live is not None and "data-live" in live.attributes
    again = browser.post(path, fields)
    assert again.status == 409 and "are being made. Wait" in again.main
    assert len(aws.messages("sampling")) == 1


def test_a_draft_can_be_used_and_approved_like_any_value(house: House, browser: Browser, path: str) -> None:
    drafted(house, 0)
    screen = browser.get(path)
    assert TEXT in screen.main and "It rests on: We sew <b>boots</b> of leather." in screen.main
    assert "Draft by openai gpt-5-mini" in screen.main
    assert sent(screen)[f"value-{page_id(house, 0)}"] == "", "it is in no field by itself"
    used = browser.post(path, sent(screen, choose=f"use-{page_id(house, 0)}"))
    assert used.status == 200 and changes.list_all(house.site.id) == []
    fields = sent(used)
    assert fields[f"value-{page_id(house, 0)}"] == TEXT and fields["tick"] == [page_id(house, 0)]
    browser.follow(browser.post(path, fields))
    (batch,) = changes.list_all(house.site.id)
    loaded = changes.load(house.site.id, batch.id)
    assert loaded is not None and [one.value for one in loaded.changes] == [TEXT]


def test_a_page_without_a_draft_shows_the_reason(house: House, browser: Browser, path: str) -> None:
    drafted(house, 0, None, "The assistant's draft was dropped: <i>it</i> has another language.")
    screen = browser.get(path)
    assert "No draft: The assistant's draft was dropped: <i>it</i> has another language." in screen.main
    assert browser.post(path, sent(screen, choose=f"use-{page_id(house, 0)}")).status == 409


def test_a_draft_of_a_changed_page_cannot_be_used(house: House, browser: Browser, path: str) -> None:
    drafted(house, 0)
    fields = sent(browser.get(path), choose=f"use-{page_id(house, 0)}")
    gone = stored.load(house.site.id)[page_id(house, 0)]
    commit(
        [
            stored.put(
                house.site.id,
                {page_id(house, 0): type(gone)(text=TEXT, by="b", at=gone.at, digest="d", place="older#0")},
                gone.at,
            )
        ]
    )
    assert TEXT not in browser.get(path).main
    read = Client(house.key).get(path.removeprefix("/app"))
    assert [one for one in read.json["suggestions"] if "draft" in one] == []
    answer = browser.post(path, fields)
    assert answer.status == 409 and DRAFT_GONE in answer.main
    assert browser.post(path, fields | {"choose": "use-<script>"}).status == 409


def test_no_ticked_page_and_a_used_up_daily_limit_are_explained(
    house: House, browser: Browser, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = browser.get(path)
    answer = browser.post(path, sent(screen, choose="draft"))
    assert answer.status == 422 and NOTHING_TO_DRAFT in answer.main
    monkeypatch.setenv("DRAFTS_A_DAY", "1")
    forget_settings()
    fields = sent(screen, choose="draft", tick=[page_id(house, 0), page_id(house, 1)])
    answer = browser.post(path, fields)
    assert answer.status == 409 and "of the 1 drafts of this day" in answer.main
    assert jobs.get(house.site.id, drafts.JOB_ID) is None


@pytest.mark.parametrize("setting", ["DRAFTS_A_DAY", "ASSISTANT"])
def test_drafts_are_not_offered_when_they_are_switched_off(
    setting: str, house: House, browser: Browser, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fields = sent(browser.get(path), choose="draft", tick=[page_id(house, 0)])
    monkeypatch.setenv(setting, "")
    forget_settings()
    assert BUTTON not in browser.get(path).main
    answer = browser.post(path, fields)
    assert answer.status == 409 and "are off on this service" in answer.main
    assert jobs.get(house.site.id, drafts.JOB_ID) is None


def test_a_viewer_can_read_drafts_but_not_request_them(house: House, path: str) -> None:
    drafted(house, 0)
    client = viewer(house, house.site.id)
    screen = client.get(path)
    assert TEXT in screen.main and BUTTON not in screen.main and "Use this draft" not in screen.main
    fields = {"do": "approve", "choose": "draft", "tick": page_id(house, 0), f"value-{page_id(house, 0)}": ""}
    assert client.post(path, fields).status == 403
    assert jobs.get(house.site.id, drafts.JOB_ID) is None


def test_titles_get_no_drafts(house: House, browser: Browser, path: str) -> None:
    titled = suggested(house, "SEO-ONP-005", "Boots | Acme")
    assert BUTTON not in browser.get(titled).main
    fields = sent(browser.get(titled), choose="draft", tick=[page_id(house, 0)])
    answer = browser.post(titled, fields | {f"value-{page_id(house, 0)}": ""})
    assert answer.status == 409 and "open issue about descriptions" in answer.main
    assert ids.issue_id(house.site.id, NO_DESCRIPTION) in path


def test_a_screen_with_the_longest_drafts_stays_small(
    house: House, browser: Browser, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chalicelib.operations.drafts.current", lambda _, found: dict(found))
    monkeypatch.setattr("chalicelib.api.issues.writability", lambda *_: (True, None))
    suggested(house, NO_DESCRIPTION, None, 10)
    drafted(house, 0)
    (one,) = stored.load(house.site.id).values()
    long = replace(one, text="ü" * 155, rests_on=["é" * 300] * 3, by="openai " + "m" * 100)
    commit([stored.put(house.site.id, {page_id(house, number): long for number in range(10)}, one.at)])
    screen = browser.get(path)
    assert len(screen.dom.css("button[value^=use-]")) == 10 and len(screen.text.encode()) <= 80_000
