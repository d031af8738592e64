"""Suggestions are approved on the issue's screen: what is typed arrives, once, and what is refused is said."""

from typing import Any

import msgspec
import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.audit.issues import Issue
from chalicelib.domain.audit.records import AffectedPage
from chalicelib.domain.suggestion import Suggestion, SuggestionSet
from chalicelib.store import changes, issues
from chalicelib.store.transactions import commit
from chalicelib.web.offering import NOT_TICKED
from chalicelib.web.screens.issue import FIELDS, NOTHING_TICKED
from tests import aws
from tests.api import largest, seed
from tests.api.conftest import House
from tests.web.conftest import Browser, Screen, viewer

TITLE_TOO_LONG = "SEO-ONP-005"
NO_DESCRIPTION = "SEO-ONP-011"
HOSTILE = "</textarea><script>alert(1)</script>\"'><img src=x onerror=alert(1)>"


def found(house: House, rule_id: str = TITLE_TOO_LONG, value: str = "Boots | Acme", count: int = 2) -> str:
    """Leave an issue whose pages have a suggestion each; the path of its screen."""
    seed.audited(house.site)
    seed.connected(house.site, fields=("canonical", "meta_description", "noindex", "title"))
    return suggested(house, rule_id, value, count)


def suggested(house: House, rule_id: str, value: str, count: int = 2) -> str:
    """The same beside the issues of an audited website."""
    urls = [seed.url(house.site, number) for number in range(count)]
    suggestions = [
        Suggestion(url, ids.page_id(house.site.id, url), "Boots and more | Acme", value, None, "h1", None)
        for url in urls
    ]
    affected = [AffectedPage(one.url, one.page_id, {"message": "It is so."}, 1, 1) for one in suggestions]
    issue_id = ids.issue_id(house.site.id, rule_id)
    listed = issues.affected_writes(house.site.id, issue_id, seed.AUDIT, affected)
    written, counts = issues.suggestion_writes(house.site.id, issue_id, seed.AUDIT, suggestions)
    issue = Issue(
        id=issue_id,
        rule_id=rule_id,
        status="open",
        affected_pages=count,
        applicable_pages=count,
        first_seen=clock.now(),
        last_seen=clock.now(),
        summary="Pages show it.",
        affected_crawl=seed.AUDIT,
        affected_chunks=len(listed),
        suggestions=SuggestionSet(seed.AUDIT, counts, None),
    )
    for write in [*listed, *written]:
        commit([write])
    book = issues.load_state(house.site.id)
    assert book is not None
    book.issues = [*(known for known in book.issues if known.id != issue_id), issue]
    book.version += 1
    commit([issues.put_state(house.site.id, book, replaces=book.version - 1)])
    return f"/app/sites/{house.site.id}/issues/{issue_id}"


def page_id(house: House, number: int) -> str:
    return ids.page_id(house.site.id, seed.url(house.site, number))


def sent(screen: Screen, **changed: Any) -> dict[str, Any]:
    """What a browser would send of the form of suggestions as it stands there, with these values."""
    form = screen.dom.css_first("#approve")
    assert form is not None
    fields: dict[str, Any] = {"tick": []}
    for one in form.css("input[name], textarea[name]"):
        name = str(one.attributes["name"])
        if one.attributes.get("type") == "checkbox":
            if "checked" in one.attributes:
                fields["tick"].append(str(one.attributes["value"]))
        else:
            fields[name] = one.text().removeprefix("\n") if one.tag == "textarea" else one.attributes["value"]
    return fields | changed


def approved(house: House) -> list[tuple[str, str]]:
    """The changes of all batches, oldest batch first."""
    batches = sorted(changes.list_all(house.site.id), key=lambda one: one.sequence)
    loaded = [changes.load(house.site.id, batch.id) for batch in batches]
    return [(change.url, change.value) for one in loaded if one is not None for change in one.changes]


def nothing_approved() -> bool:
    return aws.rows("changes") == [] and aws.messages("writes") == []


def test_a_suggestion_can_be_edited_and_approved_and_its_progress_is_shown(house: House, browser: Browser) -> None:
    path = found(house)
    screen = browser.get(path)
    assert "Approve 2 changes" in screen.main and "of 561 px" in screen.main
    done = browser.follow(browser.post(path, sent(screen, **{f"value-{page_id(house, 1)}": "Winter boots"})))
    assert approved(house) == [
        (seed.url(house.site, 0), "Boots | Acme"),
        (seed.url(house.site, 1), "Winter boots"),
    ]
    assert "Approved. The values are written" in done.main and "2 waiting" in done.main
    live = done.dom.css_first("#changes")
    assert live is not None and "data-live" in live.attributes
    assert live.css_first("[aria-current]").text() == "Written"
    assert sent(done)["tick"] == [], "what is being written is not offered again"


def test_the_promised_and_the_seen_gain_of_the_last_changes_are_shown(house: House, browser: Browser) -> None:
    path = found(house)
    browser.post(path, sent(browser.get(path)))
    (stored,) = changes.list_all(house.site.id)
    promised = msgspec.structs.replace(stored, gain_promised=12)
    commit([changes.put_batch(promised)])
    assert "Promised 1.2 points." in browser.get(path).main
    commit([changes.put_looked(msgspec.structs.replace(promised, gain_seen=7), before=promised)])
    assert "Promised 1.2 points, seen 0.7." in browser.get(path).main
    commit([changes.put_batch(msgspec.structs.replace(stored, gain_promised=None))])
    assert "Promised" not in browser.get(path).main


@pytest.mark.parametrize(
    ("rule_id", "link"),
    [
        ("SEO-AEO-001", "ai-readiness/crawlers"),
        ("SEO-AEO-002", "ai-readiness/crawlers"),
        ("SEO-AEO-003", "ai-readiness/crawlers"),
        ("SEO-AEO-005", "ai-readiness/llms-txt"),
        ("SEO-AEO-006", "ai-readiness/llms-txt"),
        ("SEO-AEO-007", "ai-readiness/llms-txt"),
    ],
)
def test_an_issue_about_a_file_links_to_its_editor(house: House, browser: Browser, rule_id: str, link: str) -> None:
    found(house)
    path = suggested(house, rule_id, "", count=1)
    other = f"/app/sites/{house.site.id}/issues/{ids.issue_id(house.site.id, TITLE_TOO_LONG)}"
    wanted = f'main a[href="/app/sites/{house.site.id}/{link}"]'
    assert browser.get(path).dom.css(wanted)
    assert not browser.get(other).dom.css(wanted)
    assert not viewer(house, house.site.id).get(path).dom.css(wanted)


def test_only_ticked_changes_are_approved(house: House, browser: Browser) -> None:
    path = found(house)
    browser.post(path, sent(browser.get(path), tick=[page_id(house, 1)]))
    assert approved(house) == [(seed.url(house.site, 1), "Boots | Acme")]


def test_a_person_is_asked_once_about_a_typed_value_that_is_not_ticked(house: House, browser: Browser) -> None:
    path = found(house)
    typed = {"tick": [page_id(house, 1)], f"value-{page_id(house, 0)}": "My title"}
    asked = browser.post(path, sent(browser.get(path), **typed))
    assert asked.status == 422 and NOT_TICKED in asked.main and nothing_approved()
    assert asked.main.count("Not ticked") == 1
    again = sent(asked)
    assert typed.items() <= again.items()
    assert browser.post(path, again).status == 303
    assert approved(house) == [(seed.url(house.site, 1), "Boots | Acme")]


def test_the_same_form_sent_twice_is_one_batch(house: House, browser: Browser) -> None:
    path = found(house)
    fields = sent(browser.get(path))
    first, again = browser.post(path, fields), browser.post(path, fields)
    assert (first.status, first.location) == (again.status, again.location)
    assert len(changes.list_all(house.site.id)) == 1


def test_the_later_of_two_values_sent_from_two_tabs_takes_effect(house: House, browser: Browser) -> None:
    path = found(house, count=1)
    one, other = browser.get(path), browser.get(path)
    assert browser.post(path, sent(one, **{f"value-{page_id(house, 0)}": "First"})).status == 303
    assert browser.post(path, sent(other, **{f"value-{page_id(house, 0)}": "Second"})).status == 303
    assert [value for _, value in approved(house)] == ["First", "Second"], "written in this order"


@pytest.mark.parametrize(
    ("changed", "status", "said"),
    [
        ({"tick": []}, 422, NOTHING_TICKED),
        ({"tick": ["page_of_another_issue"]}, 422, "no longer listed here"),
        ({"{0}": ""}, 422, "it is empty"),
        ({"{0}": "x" * 301}, 422, "at most 300 are written"),
    ],
)
def test_a_refusal_is_explained_and_keeps_the_typed_text(
    house: House, browser: Browser, changed: dict[str, Any], status: int, said: str
) -> None:
    path = found(house)
    changed = {name.replace("{0}", f"value-{page_id(house, 0)}"): value for name, value in changed.items()}
    form = sent(browser.get(path), **({f"value-{page_id(house, 1)}": "What I typed"} | changed))
    form = {name: value for name, value in form.items() if not name.startswith("offered-")}  # as app.js sends it
    refused = browser.post(path, form)
    assert refused.status == status and said in refused.main
    assert sent(refused)[f"value-{page_id(house, 1)}"] == "What I typed"
    assert nothing_approved()


def test_a_connection_lost_before_the_approval_is_reported(house: House, browser: Browser) -> None:
    path = found(house)
    fields = sent(browser.get(path))
    seed.connected(house.site, writable=False, reason="Updates are off.")
    refused = browser.post(path, fields)
    assert refused.status == 409 and "Updates are off." in refused.main
    assert nothing_approved() and not refused.dom.css("#approve")


def test_select_all_select_none_and_measure_keep_the_typed_text(house: House, browser: Browser) -> None:
    path = found(house)
    for choice, ticked in (
        ("all", [page_id(house, 0), page_id(house, 1)]),
        ("none", []),
        ("measure", [page_id(house, 1)]),
        ("stay", [page_id(house, 1)]),
    ):
        shown = browser.post(
            path,
            sent(
                browser.get(path), tick=[page_id(house, 1)], **{f"value-{page_id(house, 0)}": "W" * 40}, choose=choice
            ),
        )
        assert shown.status == 200 and sent(shown)["tick"] == ticked
        assert sent(shown)[f"value-{page_id(house, 0)}"] == "W" * 40
        assert shown.dom.css_first(".fit.over").text().endswith("cut in results")
    assert nothing_approved()


def test_a_long_description_can_be_edited_and_is_escaped(house: House, browser: Browser) -> None:
    long = "A description " * 40 + HOSTILE
    path = found(house, NO_DESCRIPTION, long)
    screen = browser.get(path)
    assert screen.dom.css("textarea") and not screen.dom.css("img, script:not([src]), [onerror]")
    assert sent(screen)[f"value-{page_id(house, 0)}"] == long
    assert browser.post(path, sent(screen)).status == 303
    assert {value for _, value in approved(house)} == {long}


def test_a_viewer_sees_no_form_and_is_refused(house: House, browser: Browser) -> None:
    path = found(house)
    fields = sent(browser.get(path))
    client = viewer(house, house.site.id)
    screen = client.get(path)
    assert "Boots | Acme" in screen.main and not screen.dom.css("main form[method=post], main textarea")
    token = client.get("/app/sessions").dom.css_first("input[name=token]").attributes["value"]
    assert client.post(path, fields | {"token": token}).status == 403
    assert nothing_approved()


def test_a_form_with_a_forged_token_is_refused(house: House, browser: Browser) -> None:
    path = found(house)
    assert browser.post(path, sent(browser.get(path)) | {"token": "forged"}).status == 403
    assert nothing_approved()


def test_a_nonce_used_again_with_other_values_is_refused(house: House, browser: Browser) -> None:
    path = found(house)
    fields = sent(browser.get(path))
    browser.post(path, fields)
    assert browser.post(path, fields | {f"value-{page_id(house, 0)}": "Another"}).status in (409, 422)
    assert len(changes.list_all(house.site.id)) == 1


def test_a_value_that_cannot_be_written_has_a_reason_and_advice(house: House, browser: Browser) -> None:
    path = found(house)
    seed.connected(house.site, fields=("canonical",))
    screen = browser.get(path)
    assert not screen.dom.css("#approve")
    assert "The CMS connection cannot write titles on this website." in screen.main


def test_an_issue_about_the_whole_website_says_so(house: House, browser: Browser) -> None:
    seed.settled(house.site)
    screen = browser.get(f"/app/sites/{house.site.id}/issues/{ids.issue_id(house.site.id, seed.SITE_RULE.id)}")
    assert "about the website as a whole" in screen.main and "No page shows it" not in screen.main


def test_an_approval_during_an_audit_is_reported(house: House, browser: Browser) -> None:
    path = found(house)
    seed.running(house.site)
    assert "An audit is running." in browser.get(path).main


def test_a_screen_with_the_largest_form_stays_small(
    house: House, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chalicelib.api.issues.writability", lambda *_: (True, None))
    path = largest.issue(house).partition("?")[0]
    screen = browser.get("/app" + path[path.index("/sites/") :])
    assert screen.dom.css("#approve") and len(screen.text.encode()) <= 80_000


def test_every_writable_field_has_a_name() -> None:
    from chalicelib.domain.suggestion import WRITABLE_FIELDS

    assert set(FIELDS) == set(WRITABLE_FIELDS)
