"""Suggestions of an issue: every member that the API promises, page by page, in both spellings."""

from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.audit.issues import Issue
from chalicelib.domain.audit.records import AffectedPage
from chalicelib.domain.suggestion import Advice, Draft, Suggestion, SuggestionSet
from chalicelib.store import blocks, drafts, issues
from chalicelib.store.transactions import commit
from tests import aws
from tests.api import seed
from tests.api.client import Client
from tests.api.conftest import House

TOO_LONG, NO_DESCRIPTION, NO_ALT = "SEO-ONP-005", "SEO-ONP-010", "SEO-IMG-001"
MEMBERS = {
    "suggestions",
    "suggestionsTotal",
    "suggestionsOffset",
    "suggestionsLimit",
    "suggestionsNextOffset",
    "suggestionsTruncated",
    "suggestionsNote",
}


def url(house: House, number: int) -> str:
    return f"{house.site.url}page-{number:05d}"


def found(house: House, rule_id: str, count: int, **changes: Any) -> Issue:
    """Leave an audit that found an issue of the rule on ``count`` pages, each with a suggestion."""
    seed.audited(house.site)
    advice = Advice("legal", "privacy", "leave_or_noindex", "Leave it.") if rule_id == NO_DESCRIPTION else None
    suggestions = [
        Suggestion(
            url(house, n),
            ids.page_id(house.site.id, url(house, n)),
            f"Title {n}",
            None if n % 2 else f"{n}",
            advice,
            None if n % 2 else "h1",
            "Nothing fits." if n % 2 else None,
        )
        for n in range(count)
    ]
    affected = [AffectedPage(one.url, one.page_id, {"message": "It is so."}, 1, 1) for one in suggestions]
    issue_id = ids.issue_id(house.site.id, rule_id)
    writes = issues.affected_writes(house.site.id, issue_id, seed.AUDIT, affected)
    suggested, counts = issues.suggestion_writes(house.site.id, issue_id, seed.AUDIT, suggestions)
    now = clock.now()
    issue = Issue(
        id=issue_id,
        rule_id=rule_id,
        status="open",
        affected_pages=count,
        applicable_pages=count,
        first_seen=now,
        last_seen=now,
        summary="Pages show it.",
        affected_crawl=seed.AUDIT,
        affected_chunks=len(writes),
        suggestions=SuggestionSet(seed.AUDIT, counts, changes.pop("note", None)),
        **changes,
    )
    for write in [*writes, *suggested]:
        commit([write])
    store(house, issue)
    return issue


def store(house: House, issue: Issue) -> None:
    book = issues.load_state(house.site.id)
    assert book is not None
    book.issues = [*(known for known in book.issues if known.id != issue.id), issue]
    book.version += 1
    commit([issues.put_state(house.site.id, book, replaces=book.version - 1)])


def read(api: Client, house: House, rule_id: str, query: str = "") -> Any:
    answer = api.get(f"/sites/{house.site.id}/issues/{ids.issue_id(house.site.id, rule_id)}{query}")
    assert answer.status == 200
    return answer.json


def test_each_affected_page_has_a_suggestion_or_null(house: House, api: Client) -> None:
    found(house, TOO_LONG, 2)
    body = read(api, house, TOO_LONG)
    first, second = body["suggestions"]
    assert first == {
        "url": url(house, 0),
        "pageId": ids.page_id(house.site.id, url(house, 0)),
        "current": "Title 0",
        "suggested": "0",
        "suggestedFrom": "h1",
        "suggestedNote": None,
        "writable": False,
        "notWritableReason": "No CMS connection: connect the website's CMS to write values from here.",
    }
    assert (second["suggested"], second["suggestedFrom"], second["suggestedNote"]) == (None, None, "Nothing fits.")
    assert [body[f"suggestions{name}"] for name in ("Total", "Offset", "Limit", "NextOffset")] == [2, 0, 100, None]
    assert body["suggestionsTruncated"] is False and body["suggestionsNote"] is None


@pytest.mark.parametrize("spelling", ["suggestions_{}", "suggestions{}"])
def test_paging_returns_every_suggestion_once(
    house: House, api: Client, spelling: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "MAX_BLOCK_BYTES", 1_200)  # many blocks, as thousands of pages have
    issue = found(house, TOO_LONG, 250)
    assert issue.suggestions is not None and len(issue.suggestions.counts) > 5
    camel = "_" not in spelling
    offset_name, limit_name = (spelling.format(name.title() if camel else name) for name in ("offset", "limit"))
    seen: list[str] = []
    offset: int | None = 0
    while offset is not None:
        body = read(api, house, TOO_LONG, f"?{offset_name}={offset}&{limit_name}=70")
        assert body["suggestionsTotal"] == 250
        assert (body["suggestionsOffset"], body["suggestionsLimit"]) == (offset, 70)
        seen += [one["url"] for one in body["suggestions"]]
        assert body["suggestionsTruncated"] is (body["suggestionsNextOffset"] is not None)
        offset = body["suggestionsNextOffset"]
    assert seen == [url(house, number) for number in range(250)]


def test_an_offset_after_the_last_suggestion_returns_an_empty_list(house: House, api: Client) -> None:
    found(house, TOO_LONG, 3)
    body = read(api, house, TOO_LONG, "?suggestions_offset=3")
    assert body["suggestions"] == [] and body["suggestionsTotal"] == 3 and body["suggestionsNextOffset"] is None


def test_at_most_100_suggestions_are_returned_at_once(house: House, api: Client) -> None:
    found(house, TOO_LONG, 101)
    body = read(api, house, TOO_LONG)
    assert len(body["suggestions"]) == 100 and body["suggestionsNextOffset"] == 100


def test_title_suggestions_are_returned_with_the_shared_suffix_and_a_note(house: House, api: Client) -> None:
    template = {"suffix": " | Acme", "count": 7, "note": "Shorten the ending once in the template."}
    found(house, TOO_LONG, 1, evidence={"titleTemplate": template}, note="The website changes the letter case.")
    body = read(api, house, TOO_LONG)
    assert body["titleTemplate"] == template
    assert body["suggestionsNote"] == "The website changes the letter case."
    assert "advice" not in body["suggestions"][0]


def test_without_a_shared_suffix_the_title_template_is_null(house: House, api: Client) -> None:
    found(house, TOO_LONG, 1)
    assert read(api, house, TOO_LONG)["titleTemplate"] is None


def test_suggestions_for_descriptions_include_advice(house: House, api: Client) -> None:
    found(house, NO_DESCRIPTION, 1)
    body = read(api, house, NO_DESCRIPTION)
    assert body["suggestions"][0]["advice"] == {
        "pageKind": "legal",
        "legalKind": "privacy",
        "recommended": "leave_or_noindex",
        "message": "Leave it.",
    }
    assert "titleTemplate" not in body and body["suggestionsNote"] is None


def test_rules_without_a_writable_field_have_no_suggestions(house: House, api: Client) -> None:
    seed.audited(house.site)
    for rule_id in (NO_ALT, "SEO-ONP-015"):
        issue = Issue(ids.issue_id(house.site.id, rule_id), rule_id, "open", 1, 1, 1.0, 1.0, "Pages show it.")
        store(house, issue)
        assert not MEMBERS & read(api, house, rule_id).keys()


def test_the_suggestions_of_an_issue_stored_without_any_are_null(house: House, api: Client) -> None:
    seed.audited(house.site)
    body = read(api, house, seed.PAGE_RULE.id)
    assert [one["url"] for one in body["suggestions"]] == [seed.url(house.site, 0), seed.url(house.site, 1)]
    assert {one["suggested"] for one in body["suggestions"]} == {None}
    assert body["suggestionsTotal"] == 2


def test_a_page_fixed_at_a_recheck_has_no_suggestion_any_more(house: House, api: Client) -> None:
    issue = found(house, TOO_LONG, 5)
    left = [page for n, page in enumerate(issues.load_affected(house.site.id, issue)) if n in (1, 4)]
    writes = issues.affected_writes(house.site.id, issue.id, "crawl_recheck", left)
    commit(writes)
    issue.affected_crawl, issue.affected_chunks, issue.affected_pages = "crawl_recheck", len(writes), 2
    store(house, issue)
    body = read(api, house, TOO_LONG)
    assert [one["url"] for one in body["suggestions"]] == [url(house, 1), url(house, 4)]
    assert [one["suggested"] for one in body["suggestions"]] == [None, "4"]
    assert body["suggestionsTotal"] == 2
    assert [one["url"] for one in read(api, house, TOO_LONG, "?suggestionsOffset=1")["suggestions"]] == [url(house, 4)]


def test_the_detail_with_all_suggestions_takes_four_aws_calls(house: House, api: Client) -> None:
    found(house, TOO_LONG, 400)
    api.get("/sites")  # the hour's first request makes one call more
    with aws.counted_calls() as calls:
        read(api, house, TOO_LONG, "?suggestions_offset=300")
    assert calls.total() == 4, dict(calls)


def test_drafts_are_shown_next_to_pages_without_a_suggestion(
    house: House, api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    issue = found(house, NO_DESCRIPTION, 3)
    draft = Draft(
        text="A text.", rests_on=["It rests on this."], by="openai m", at=1_700_000_000.0, digest="d", place="p"
    )
    pages = {ids.page_id(house.site.id, url(house, number)): draft for number in (0, 1)}
    commit([drafts.put(house.site.id, pages, draft.at)])
    address = f"/sites/{house.site.id}/issues/{issue.id}"
    assert not any("draft" in one for one in api.get(address).json["suggestions"]), "no facts of the page are kept"
    monkeypatch.setattr("chalicelib.operations.drafts.current", lambda _, wanted: dict(wanted))
    first, second, third = api.get(address).json["suggestions"]
    assert "draft" not in first and "draft" not in third
    assert second["suggested"] is None and second["draft"] == {
        "text": "A text.",
        "note": None,
        "restsOn": ["It rests on this."],
        "by": "openai m",
        "at": "2023-11-14T22:13:20Z",
    }
