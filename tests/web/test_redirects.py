"""Redirects are chosen, edited and approved on their screen; what is refused is said beside the address."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from chalicelib.connectors import live_addresses
from chalicelib.domain import ids
from chalicelib.domain.audit.records import PageRow
from chalicelib.domain.changes.redirecting import Answered
from chalicelib.operations import redirects
from chalicelib.rules.missing_addresses import LINKED_BY, LISTED_BY
from chalicelib.store import changes, pages
from chalicelib.store.transactions import commit
from chalicelib.web.offering import NOT_TICKED
from chalicelib.web.screens.issue import NOTHING_TICKED
from tests import aws
from tests.api import seed
from tests.api.conftest import House
from tests.web.conftest import Browser, Screen, viewer
from tests.web.test_issue_approval import suggested

HOSTILE = "\"'><script>alert(1)</script>"
GONE, PAGE = Answered(status=404), Answered(status=200, page=True)


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> dict[str, Answered]:
    """What addresses answer when they are asked; others answer as pages do, or 404 where they begin with /old."""
    said: dict[str, Answered] = {}

    def ask(urls: Any) -> dict[str, Answered]:
        return {url: said.get(url, GONE if "/old" in url else PAGE) for url in urls}

    monkeypatch.setattr(live_addresses, "ask", ask)
    return said


def found(house: House, count: int = 3, also: Sequence[PageRow] = (), **status: object) -> str:
    """Leave an audited website with so many addresses that are gone; the path of the screen."""
    seed.audited(house.site)
    seed.connected(house.site, **({"redirects": True} | status))  # type: ignore[arg-type]
    rows = seed.rows(house.site, 3)
    rows += [gone(house, number) for number in range(count)]
    rows += [page(house, "new-0", "New"), *also]
    writes, _ = pages.generation_writes(house.site.id, seed.AUDIT, rows, {})
    for write in writes:
        commit([write])
    return f"/app/sites/{house.site.id}/redirects"


def url(house: House, path: str) -> str:
    return f"{house.site.url}{path}"


def row_id(house: House, number: int) -> str:
    return ids.page_id(house.site.id, url(house, f"old/new-{number}"))


def gone(house: House, number: int) -> PageRow:
    address = url(house, f"old/new-{number}")
    return PageRow(ids.page_id(house.site.id, address), address, 404, None, None, None, None, [], 100 - number, 1)


def page(house: House, path: str, title: str) -> PageRow:
    address = url(house, path)
    return PageRow(ids.page_id(house.site.id, address), address, 200, title, None, 90, None, [], 1, 1, indexable=True)


def sent(screen: Screen, **changed: Any) -> dict[str, Any]:
    """What a browser would send of the form as it stands there, with these values."""
    form = screen.dom.css_first("#approve")
    assert form is not None
    fields: dict[str, Any] = {"tick": []}
    for one in form.css("input[name]"):
        name = str(one.attributes["name"])
        if one.attributes.get("type") == "checkbox":
            fields["tick"] += [one.attributes["value"]] if "checked" in one.attributes else []
        else:
            fields[name] = one.attributes["value"]
    return fields | changed


def approved(house: House) -> list[tuple[str | None, str]]:
    batches = sorted(changes.list_all(house.site.id), key=lambda one: one.sequence)
    loaded = [changes.load(house.site.id, batch.id) for batch in batches]
    return [(change.key, change.value) for one in loaded if one is not None for change in one.changes]


def nothing_approved() -> bool:
    return aws.rows("changes") == [] and aws.messages("writes") == []


def test_a_redirect_target_is_edited_and_approved_and_its_progress_is_shown(
    house: House, browser: Browser, answers: dict[str, Answered]
) -> None:
    path = found(house)
    screen = browser.get(path)
    assert "/old/new-0" in screen.main and "linked by 100 pages" in screen.main and "for up to an hour" in screen.main
    assert sent(screen)["tick"] == [], "nobody approves what they have not looked at"
    fields = sent(screen, tick=[row_id(house, 1)], **{f"value-{row_id(house, 1)}": "/page-00001"})
    done = browser.follow(browser.post(path, fields))
    assert approved(house) == [("/old/new-1", url(house, "page-00001"))]
    assert done.heading == "Redirects" and "Approved. The values are written" in done.main
    assert "/old/new-1" not in browser.get(path).main, "what is being written is not offered again"
    assert browser.post(path, fields).status in (303, 409) and len(approved(house)) == 1


@pytest.mark.parametrize(
    ("changed", "status", "said"),
    [
        ({"tick": []}, 422, NOTHING_TICKED),
        ({"value-{0}": ""}, 422, "It cannot be redirected: it has no target."),
        ({"value-{0}": "https://elsewhere.example/"}, 422, "the target must be an address of"),
        ({"value-{0}": HOSTILE}, 422, "the target must be an address of"),
        ({"url-{0}": "https://elsewhere.example/old"}, 422, "no longer listed here"),
        ({"url-{0}": HOSTILE}, 422, "no longer listed here"),
    ],
)
def test_a_refusal_is_explained_and_keeps_the_typed_text(
    house: House, browser: Browser, answers: dict[str, Answered], changed: dict[str, Any], status: int, said: str
) -> None:
    path = found(house)
    one, other = row_id(house, 0), row_id(house, 1)
    values = {name.replace("{0}", one): value for name, value in changed.items()}
    typed = {"tick": [one], f"value-{one}": "/page-00000", f"value-{other}": "/what-I-typed"}
    form = sent(browser.get(path), **(typed | values))
    form = {name: value for name, value in form.items() if not name.startswith("offered-")}  # as app.js sends it
    refused = browser.post(path, form)
    assert refused.status == status and said in refused.main
    assert sent(refused)[f"value-{other}"] == "/what-I-typed"
    assert nothing_approved() and not refused.dom.css("main script:not([src])")


def test_the_refusal_shows_how_each_address_answers_now(
    house: House, browser: Browser, answers: dict[str, Answered]
) -> None:
    path = found(house)
    answers[url(house, "old/new-1")] = PAGE
    rows = [row_id(house, number) for number in (0, 1)]
    typed = {f"value-{row}": "/page-00000" for row in rows}
    refused = browser.post(path, sent(browser.get(path), tick=rows, **typed))
    assert refused.status == 422 and "1 of these addresses cannot be redirected" in refused.main
    beside = refused.dom.css_first(f"#wrong-{rows[1]}")
    assert beside is not None and "The address answers 200" in beside.text()
    assert refused.dom.css_first(f"#wrong-{rows[0]}") is None
    assert sent(refused)["tick"] == rows and nothing_approved()


def test_an_address_that_is_no_longer_listed_is_refused_with_a_reason(
    house: House, browser: Browser, answers: dict[str, Answered]
) -> None:
    path = found(house)
    rows = [row_id(house, number) for number in (0, 1)]
    typed = {f"value-{rows[0]}": "/page-00000", f"value-{rows[1]}": "", f"url-{rows[0]}": url(house, "old/left")}
    refused = browser.post(path, sent(browser.get(path), tick=rows, **typed))
    assert refused.status == 422 and "2 of these addresses cannot be redirected" in refused.main
    assert "no longer listed here" in refused.main and "It cannot be redirected: it has no target." in refused.main


def test_two_addresses_with_the_same_path_are_not_redirected_together(
    house: House, browser: Browser, answers: dict[str, Answered]
) -> None:
    other = url(house, "old/new-0").replace("https://", "http://")
    twin = msgspec.structs.replace(gone(house, 0), id=ids.page_id(house.site.id, other), url=other)
    path = found(house, also=[twin])
    rows = [row_id(house, 0), twin.id]
    typed = {f"value-{rows[0]}": "/page-00000", f"value-{rows[1]}": url(house, "page-00001")}
    refused = browser.post(path, sent(browser.get(path), tick=rows, **typed))
    assert refused.status == 422 and "has the same path" in refused.main and nothing_approved()


def test_selecting_keeps_the_typed_text_and_approves_nothing(
    house: House, browser: Browser, answers: dict[str, Answered]
) -> None:
    path = found(house)
    one = row_id(house, 2)
    for choice, ticked in (("all", True), ("none", False), ("stay", False)):
        typed = {f"value-{one}": "/page-00002", "choose": choice, "tick": [row_id(house, 0)]}
        shown = browser.post(path, sent(browser.get(path), **typed))
        assert shown.status == 200 and (one in sent(shown)["tick"]) is ticked
        assert sent(shown)[f"value-{one}"] == "/page-00002"
    assert nothing_approved()


@pytest.mark.parametrize("ticked", [True, False])
def test_a_person_is_asked_once_about_a_typed_target_that_is_not_ticked(
    house: House, browser: Browser, answers: dict[str, Answered], ticked: bool
) -> None:
    path = found(house)
    first, second = row_id(house, 0), row_id(house, 1)
    typed = {f"value-{first}": "/page-00000", f"value-{second}": "/page-00001", "tick": [first] if ticked else []}
    asked = browser.post(path, sent(browser.get(path), **typed))
    assert asked.status == 422 and NOT_TICKED in asked.main and nothing_approved()
    rows = {row.css_first("[name=tick]").attributes["value"]: row.text() for row in asked.dom.css("tbody tr")}
    left = {second} if ticked else {first, second}
    assert {row for row, text in rows.items() if "Not ticked" in text} == left
    again = sent(asked)
    assert again["tick"] == typed["tick"] and again[f"value-{second}"] == "/page-00001"
    done = browser.post(path, again)
    if ticked:
        assert done.status == 303 and approved(house) == [("/old/new-0", url(house, "page-00000"))]
    else:
        assert done.status == 422 and NOTHING_TICKED in done.main and nothing_approved()


def test_a_row_without_a_tick_is_not_approved_if_its_target_was_not_typed(
    house: House, browser: Browser, answers: dict[str, Answered]
) -> None:
    path = found(house)
    screen = browser.get(path)
    assert any(sent(screen)[f"value-{row_id(house, number)}"] for number in range(3))
    fields = {f"value-{row_id(house, 0)}": "/page-00000", f"value-{row_id(house, 1)}": ""}
    assert browser.post(path, sent(screen, tick=[row_id(house, 0)], **fields)).status == 303
    assert [key for key, _ in approved(house)] == ["/old/new-0"]


def test_a_long_list_is_shown_in_pages(house: House, browser: Browser) -> None:
    path = found(house, redirects.MOST + 2)
    first = browser.get(path)
    assert len(first.dom.css("#addresses tbody tr")) == redirects.MOST and "1 to 20 of 22" in first.main
    assert len(browser.get(f"{path}?from=21").dom.css("#addresses tbody tr")) == 2
    assert "Nothing to redirect" in browser.get(f"{path}?from=999").main


def test_redirects_of_a_shop_are_approved_except_from_addresses_it_serves(
    house: House, browser: Browser, answers: dict[str, Answered]
) -> None:
    address = url(house, "cart/old")
    own = msgspec.structs.replace(gone(house, 0), id=ids.page_id(house.site.id, address), url=address)
    answers[address] = GONE
    path = found(house, 1, also=[own], kind="shop")
    screen = browser.get(path)
    assert "The shop keeps its redirects" in screen.main and "plugin" not in screen.main
    assert "Written through the shop" in screen.main
    typed = {f"value-{own.id}": "/page-00000", f"value-{row_id(house, 0)}": "/page-00001"}
    both = sent(screen, tick=[own.id, row_id(house, 0)], **typed)
    refused = browser.post(path, both)
    assert refused.status == 422 and "/cart is one of its own paths" in refused.main and nothing_approved()
    browser.post(path, both | {"tick": [row_id(house, 0)], f"value-{own.id}": ""})
    (batch,) = changes.list_all(house.site.id)
    assert (batch.source, batch.field, batch.count) == ("shop", "redirect", 1)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ({"redirects": False}, redirects.TOO_OLD),
        ({"redirects": False, "kind": "shop"}, redirects.NO_SCOPE),
        ({"writable": False, "reason": "Updates are off."}, "Updates are off."),
    ],
)
def test_if_redirects_cannot_be_written_the_list_gives_the_reason(
    house: House, browser: Browser, answers: dict[str, Answered], status: dict[str, object], said: str
) -> None:
    path = found(house, kind=status.get("kind", "cms"))
    fields = sent(browser.get(path), tick=[row_id(house, 0)], **{f"value-{row_id(house, 0)}": "/page-00000"})
    seed.connected(house.site, **({"redirects": True} | status))
    screen = browser.get(path)
    assert said in screen.main and not screen.dom.css("#approve")
    (link,) = screen.dom.css("#main .note.warn a")
    assert (link.attributes["href"] or "").endswith(f"/connections#{status.get('kind', 'cms')}")
    refused = browser.post(path, fields)
    assert refused.status == 409 and said in refused.main and nothing_approved()


def test_a_website_without_an_audit_says_so(house: House, browser: Browser) -> None:
    assert "Not audited yet" in browser.get(f"/app/sites/{house.site.id}/redirects").main


def test_a_viewer_sees_no_form_and_is_refused(house: House, browser: Browser, answers: dict[str, Answered]) -> None:
    path = found(house)
    fields = sent(browser.get(path), tick=[row_id(house, 0)], **{f"value-{row_id(house, 0)}": "/page-00000"})
    client = viewer(house, house.site.id)
    screen = client.get(path)
    assert "/old/new-0" in screen.main and not screen.dom.css("main form[method=post], main input")
    token = client.get("/app/sessions").dom.css_first("input[name=token]").attributes["value"]
    assert client.post(path, fields | {"token": token}).status == 403
    assert browser.post(path, fields | {"token": "forged"}).status in (403, 409, 422) and nothing_approved()


@pytest.mark.parametrize(("rule_id", "leads"), [(LISTED_BY, 1), (LINKED_BY, 1), ("SEO-ONP-005", 0)])
def test_issues_about_broken_links_link_to_the_redirect_screen(
    house: House, browser: Browser, rule_id: str, leads: int
) -> None:
    path = found(house)
    screen = browser.get(suggested(house, rule_id, "Boots"))
    assert len(screen.dom.css(f'main a[href="{path}"]')) == leads
