"""Redirects of addresses that are gone: listed, approved, written through the CMS, looked for live, and taken back."""

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from urllib.parse import urlsplit

import msgspec
import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.audit.ignoring import Scope
from chalicelib.domain.audit.records import AffectedPage
from chalicelib.domain.changes.batch import Batch, Change
from chalicelib.domain.changes.missing_addresses import Missing, Offered
from chalicelib.domain.search import pairs
from chalicelib.domain.search.periods import ending
from chalicelib.operations import changes, rechecks, redirects
from chalicelib.operations import issues as operations
from chalicelib.operations import missing_addresses as computed
from chalicelib.operations.errors import Refused
from chalicelib.operations.redirects import NotAllowed
from chalicelib.rules.missing_addresses import LINKED_BY, LISTED_BY
from chalicelib.store import changes as stored_changes
from chalicelib.store import issues, pages, shapes
from chalicelib.workers.audit import missing_addresses
from tests import aws, stored_search
from tests.api import seed
from tests.changes import TITLE, House, kinds, open_house
from tests.domain.search.naive import Told
from tests.reader import read_by_function, who_reads
from tests.workers.audit.websites import audit

PATHS = ("/shop/tents", "/shop/boots", "/shop/stoves")
BROKEN = {"/old/tents.html": "Our tents", "/boots?x=1": "Boots", "/nothing": "More"}


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    with open_house(monkeypatch, PATHS, broken=BROKEN) as found:
        yield found


def listed(house: House) -> redirects.Listed:
    return redirects.listed(house.current(), 0, 20)


def status(house: House, rule_id: str = LISTED_BY) -> str:
    return house.issue(ids.issue_id(house.site_id, rule_id)).status


def affected(house: House, rule_id: str) -> list[AffectedPage]:
    return issues.load_affected(house.site_id, house.issue(ids.issue_id(house.site_id, rule_id)))


def only(house: House, batch: Batch) -> Change:
    (change,) = house.loaded(batch).changes
    return change


def refused(house: House, **wanted: str) -> str:
    """The reason why the redirect of this path is not approved."""
    before = aws.rows("changes")
    with pytest.raises(NotAllowed) as found:
        house.redirect({f"/{path.replace('_', '/')}": target for path, target in wanted.items()})
    assert aws.rows("changes") == before
    return next(iter(found.value.reasons.values()))


def test_missing_addresses_are_listed_with_a_similar_page(house: House) -> None:
    found = listed(house)
    assert (found.total, found.reason, found.audited) == (3, None, True)
    rows = {urlsplit(one.missing.url).path: one for one in found.rows}
    assert rows.keys() == {"/old/tents.html", "/boots", "/nothing"}
    tents = rows["/old/tents.html"]
    assert (tents.target, tents.because) == (house.url("/shop/tents"), "name")
    assert (tents.missing.status, tents.missing.links, tents.missing.texts) == (404, 1, ["Our tents"])
    assert tents.missing.linked_from == [house.url("/")]
    assert rows["/nothing"].target is None


def kept_and_computed(house: House) -> tuple[list[Offered] | None, list[Offered]]:
    """The stored addresses, and what the pages, issues and search data come to."""
    website = house.current()
    assert website.summary is not None
    crawl_id = website.summary.generation.crawl_id
    rows = pages.load_list(website.id, crawl_id)
    return pages.load_missing(website.id, crawl_id), computed.compute(website.id, website.host, house.url("/"), rows)


def test_the_list_that_the_audit_stored_is_returned_without_reading_pages(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = listed(house)

    def never(*_: object) -> None:
        raise AssertionError("all pages are read")

    monkeypatch.setattr(pages, "load_list", never)
    monkeypatch.setattr(computed, "compute", never)
    assert listed(house) == before and before.total == 3


def test_the_stored_list_is_updated_by_each_write_undo_and_audit(house: House) -> None:
    def kept() -> list[str]:
        stored, computed = kept_and_computed(house)
        assert stored == computed
        return sorted(urlsplit(one.missing.url).path for one in computed)

    assert kept() == ["/boots", "/nothing", "/old/tents.html"]
    batch = house.redirect({"/old/tents.html": "/shop/tents", "/nothing": "/shop/stoves"})
    house.work()
    assert kept() == ["/boots"]
    changes.undo(OPERATOR, house.site_id, batch.id, frozenset({0}))
    house.work()
    assert kept() == ["/boots", "/old/tents.html"]
    house.shop.paths += ("/boots",)
    house.shop.broken["/new"] = "New"
    clock.set_offset(clock.offset() + 60)
    audit(house.current(), page_budget=500)
    assert kept() == ["/new", "/old/tents.html"]


def test_links_from_ignored_pages_are_still_listed(house: House) -> None:
    before = house.issue(ids.issue_id(house.site_id, LINKED_BY))
    (page,) = affected(house, LINKED_BY)
    operations.ignore_pages(OPERATOR, house.site_id, before.id, Scope((page.page_id,), ()))
    assert affected(house, LINKED_BY) == []
    stored, computed = kept_and_computed(house)
    assert stored == computed and all(one.missing.texts for one in computed)


def test_an_address_that_answers_again_leaves_the_list_even_after_a_killed_recheck(house: House) -> None:
    header = audit(house.current(), page_budget=500)
    website = house.current()
    assert website.summary is not None
    crawl_id, home = website.summary.generation.crawl_id, house.url("/")
    rows = {row.url: row for row in pages.load_list(website.id, crawl_id)}
    row = rows[house.url("/nothing")]
    # The killed worker renewed the row, so that the next one finds no difference.
    rows[row.url] = again = msgspec.structs.replace(row, status=200)
    missing_addresses.keep_again(header, crawl_id, website.host, home, rows, [again], {TITLE: []})
    stored = pages.load_missing(website.id, crawl_id)
    assert stored is not None and len(stored) == 2
    assert row.url not in {one.missing.url for one in stored}


def test_a_list_that_the_audit_could_not_compute_is_computed_on_request(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    before = listed(house)
    with monkeypatch.context() as patched:
        patched.setattr(missing_addresses.missing_addresses, "compute", lambda *_: 1 / 0)
        assert audit(house.current(), page_budget=500).status == "done"
    assert [record.error for record in caplog.records if record.message == "rule failed"] == [  # type: ignore[attr-defined]
        "ZeroDivisionError: division by zero"
    ]
    assert kept_and_computed(house)[0] is None
    assert [one.missing.url for one in listed(house).rows] == [one.missing.url for one in before.rows]


def test_a_list_too_large_for_an_item_keeps_its_first_addresses(house: House) -> None:
    website = house.current()
    assert website.summary is not None
    crawl_id = website.summary.generation.crawl_id
    noise = random.Random(7)
    many = [Offered(Missing(house.url(f"/{n}/{noise.randbytes(700).hex()}"), 404, 1, [], [])) for n in range(1_000)]
    pages.keep_missing(website.id, crawl_id, many)
    stored = pages.load_missing(website.id, crawl_id)
    assert stored is not None and 100 < len(stored) < 1_000 and stored == many[: len(stored)]


def test_an_approved_redirect_goes_live_and_resolves_both_issues(house: House) -> None:
    assert status(house) == status(house, LINKED_BY) == "open"
    wanted = {"/old/tents.html": "/shop/tents", "/boots?x=1": "/shop/boots", "/nothing": "/shop/stoves"}
    batch = house.redirect(wanted)
    assert status(house) == "in_progress"
    house.write()
    loaded = house.loaded(batch).changes
    assert [(one.status, one.key) for one in loaded] == [("applied", path) for path in wanted]
    assert house.shop.redirects == {path: house.url(target) for path, target in wanted.items()}
    assert (status(house), status(house, LINKED_BY)) == ("recheck_queued", "recheck_queued")
    house.work()
    assert (status(house), status(house, LINKED_BY)) == ("resolved", "resolved")
    assert kinds(house) == ["issue.resolved", "issue.resolved", "write.applied"]
    assert listed(house).total == 0


def test_an_undo_removes_the_redirect_and_the_address_is_missing_again(house: House) -> None:
    batch = house.redirect({"/old/tents.html": "/shop/tents"})
    house.work()
    undo = house.undo(batch)
    house.work()
    assert house.shop.redirects == {} and only(house, batch).status == "reverted"
    assert only(house, undo).status == "applied" and only(house, undo).key == "/old/tents.html"
    assert status(house) in ("open", "reopened")
    assert listed(house).total == 3


def test_an_undo_reopens_the_issue_about_broken_links(house: House) -> None:
    batch = house.redirect({"/old/tents.html": "/shop/tents", "/boots?x=1": "/shop/boots", "/nothing": "/shop/stoves"})
    house.work()
    assert status(house, LINKED_BY) == "resolved" and affected(house, LINKED_BY) == []
    changes.undo(OPERATOR, house.site_id, batch.id, frozenset({0}))
    house.work()
    assert (status(house), status(house, LINKED_BY)) == ("reopened", "reopened")
    (page,) = affected(house, LINKED_BY)
    assert page.url == house.url("/")
    assert [target["url"] for target in page.evidence["targets"]] == [house.url("/old/tents.html")]
    assert kinds(house).count("issue.reopened") == 2


@pytest.mark.parametrize("mended", ["link", "address"])
def test_an_undo_keeps_the_issue_resolved_if_no_link_is_broken(house: House, mended: str) -> None:
    batch = house.redirect({"/old/tents.html": "/shop/tents", "/boots?x=1": "/shop/boots", "/nothing": "/shop/stoves"})
    house.work()
    if mended == "link":
        house.shop.broken.clear()
    else:
        house.shop.paths += ("/old/tents.html",)
    changes.undo(OPERATOR, house.site_id, batch.id, frozenset({0}))
    house.work()
    issue = house.issue(ids.issue_id(house.site_id, LINKED_BY))
    assert (issue.status, issue.pending_recheck) == ("resolved", None)


def test_an_undo_leaves_an_ignored_issue_ignored(house: House) -> None:
    batch = house.redirect({"/old/tents.html": "/shop/tents"})
    house.work()
    issue = house.issue(ids.issue_id(house.site_id, LINKED_BY))
    operations.ignore(OPERATOR, house.site_id, issue.id)
    house.undo(batch)
    house.work()
    assert status(house, LINKED_BY) == "ignored"


def test_a_single_redirect_of_a_batch_can_be_undone(house: House) -> None:
    batch = house.redirect({"/old/tents.html": "/shop/tents", "/nothing": "/shop/stoves"})
    house.work()
    changes.undo(OPERATOR, house.site_id, batch.id, frozenset({1}))
    house.work()
    assert house.shop.redirects == {"/old/tents.html": house.url("/shop/tents")}
    assert [change.status for change in house.loaded(batch).changes] == ["applied", "reverted"]


def test_a_repeated_approval_makes_one_batch(house: House) -> None:
    first = house.redirect({"/old/tents.html": "/shop/tents"})
    assert house.redirect({"/old/tents.html": "/shop/tents"}).id == first.id
    house.write()
    assert house.cms.counts["changes"] == 1


def test_only_listed_missing_addresses_can_be_redirected(house: House) -> None:
    assert "no longer listed" in refused(house, shop_tents="/shop/boots")
    assert "an address of" in refused(house, nothing="https://elsewhere.example/")
    assert "The target answers 404" in refused(house, nothing="/no-such-page")
    assert "the redirected address itself" in refused(house, nothing="/nothing")
    house.shop.extra["/shop/boots"] = '<meta name="robots" content="noindex">'
    assert "noindex" in refused(house, nothing="/shop/boots")
    house.shop.extra["/shop/boots"] = '<link rel="canonical" href="/shop/tents">'
    assert f"names {house.url('/shop/tents')}" in refused(house, nothing="/shop/boots")
    house.shop.paths += ("/nothing",)
    assert "The address answers 200" in refused(house, nothing="/shop/stoves")


def test_if_one_address_is_refused_no_redirect_is_approved(house: House) -> None:
    with pytest.raises(NotAllowed) as found:
        house.redirect({"/old/tents.html": "/shop/tents", "/nothing": "/no-such-page"})
    assert list(found.value.reasons) == [house.url("/nothing")]
    assert aws.rows("changes") == [] and house.cms.writes == []


def test_redirect_chains_are_refused(house: House) -> None:
    house.redirect({"/old/tents.html": "/shop/tents"})
    house.write()
    assert "The target answers 301" in refused(house, nothing="/old/tents.html")
    house.shop.paths = tuple(path for path in PATHS if path != "/shop/tents")  # the target is gone now
    audit(house.current(), page_budget=500)
    assert "Another redirect leads to this address" in refused(house, shop_tents="/shop/boots")


def test_a_redirect_missing_in_the_next_audit_is_offered_again(house: House) -> None:
    house.redirect({"/nothing": "/shop/stoves"})
    house.work()
    assert listed(house).total == 2
    house.cms.edit("", "redirect /nothing", None)  # as its plugin was removed, and is back
    clock.set_offset(clock.offset() + 60)
    audit(house.current(), page_budget=500)
    assert listed(house).total == 3
    house.redirect({"/nothing": "/shop/stoves"})
    house.work()
    assert house.shop.redirects == {"/nothing": house.url("/shop/stoves")} and listed(house).total == 2


def test_a_redirect_is_not_offered_again_if_the_audit_read_its_address_before(house: House) -> None:
    house.redirect({"/nothing": "/shop/stoves"})
    house.write()
    website = house.current()
    summary = website.summary
    assert summary is not None and summary.last_audit is not None
    summary.last_audit.finished_at = clock.now() + 60  # it read the address before, and ends after the write
    website.packed_summary = shapes.SITE_SUMMARY.pack(summary)
    paths = [urlsplit(one.missing.url).path for one in redirects.listed(website, 0, 20).rows]
    assert paths == ["/boots", "/old/tents.html"]


def test_after_a_recheck_an_address_whose_redirect_is_waiting_is_not_offered_again(house: House) -> None:
    clock.set_offset(clock.offset() + 3_600)
    rechecks.start(house.current(), ids.issue_id(house.site_id, LISTED_BY), person_id=None, now=clock.now())
    house.work()
    house.redirect({"/nothing": "/shop/stoves"})
    assert listed(house).total == 2


def test_a_redirect_is_refused_if_its_address_now_shows_a_page(house: House) -> None:
    batch = house.redirect({"/nothing": "/shop/stoves"})
    house.shop.paths += ("/nothing",)
    house.write()
    change = only(house, batch)
    assert change.status == "refused" and "The address answers 200" in (change.error or "")
    assert house.shop.redirects == {} and house.cms.counts["changes"] == 0
    assert kinds(house) == ["write.failed"] and status(house) == "open"


def test_a_redirect_whose_answer_was_lost_can_be_undone_despite_a_new_page(house: House) -> None:
    batch = house.redirect({"/nothing": "/shop/stoves"})
    house.cms.misbehave("partial")
    house.write_once()
    assert only(house, batch).status == "applying" and house.shop.redirects.keys() == {"/nothing"}
    house.cms.misbehave("none")
    house.shop.redirects.clear()  # a page of the address wins over its redirect
    house.shop.paths += ("/nothing",)
    house.write()
    change = only(house, batch)
    assert change.status == "not_live" and change.outcome is not None
    undo = house.undo(batch)
    house.work()
    assert (only(house, batch).status, only(house, undo).status) == ("reverted", "applied")


def test_a_redirect_whose_target_fails_temporarily_is_retried(house: House) -> None:
    batch = house.redirect({"/nothing": "/shop/stoves"})
    house.shop.silent.add("/shop/stoves")
    house.write_once()
    assert only(house, batch).status == "approved" and "answers 500" in (only(house, batch).error or "")
    house.shop.silent.clear()
    house.write()
    assert only(house, batch).status == "applied"


def test_a_redirect_that_the_server_hides_is_not_live_until_a_recheck_sees_it(house: House) -> None:
    house.cms.misbehave("hide_writes")
    batch = house.redirect({"/nothing": "/shop/stoves"})
    house.write()
    look = only(house, batch).look
    assert only(house, batch).status == "not_live" and look is not None
    assert "The web server, or a cache in front of it" in (look.reason or "")
    house.work()
    assert status(house) == "open" and "write.not_live" in kinds(house)
    house.cms.misbehave("none")
    clock.set_offset(clock.offset() + 3_600)
    rechecks.start(house.current(), ids.issue_id(house.site_id, LISTED_BY), person_id=None, now=clock.now())
    house.work()
    assert only(house, batch).status == "applied"


@pytest.mark.parametrize(
    ("status", "code"),
    [
        ({"redirects": False}, "field_not_supported"),
        ({"writable": False, "reason": "Updates are off."}, "cms_not_writable"),
    ],
)
def test_a_cms_that_cannot_redirect_gives_the_reason(house: House, status: dict[str, object], code: str) -> None:
    seed.connected(house.current(), **status)
    with pytest.raises(Refused) as found:
        house.redirect({"/nothing": "/shop/stoves"})
    assert found.value.code == code and listed(house).reason == found.value.message


def test_too_many_or_no_addresses_are_refused(house: House) -> None:
    for wanted, code in (({}, "no_changes"), ({f"/{n}": "/shop/tents" for n in range(21)}, "too_many_changes")):
        with pytest.raises(Refused) as found:
            house.redirect(wanted)
        assert found.value.code == code


def test_the_writer_leaves_all_requests_for_redirects_to_the_reader_function(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = house.redirect({"/nothing": "/shop/stoves"})
    with read_by_function(monkeypatch) as function:
        read = who_reads(monkeypatch)
        house.write()
    assert only(house, batch).status == "applied" and {who for who, _ in read} == {"reader"}
    both = [house.url("/nothing"), house.url("/shop/stoves")]
    assert [asked["urls"] for asked in function.asked] == [both, both], "before the write and after it"


def test_no_redirect_is_written_while_the_reader_function_fails(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = house.redirect({"/nothing": "/shop/stoves"})
    with read_by_function(monkeypatch) as function:
        function.fault = "denied"
        house.write_once()
        change = only(house, batch)
        assert change.status == "approved" and "does not allow calls" in (change.error or "")
        function.fault = ""
        house.write()
    assert only(house, batch).status == "applied" and house.cms.counts["changes"] == 1


def test_searched_addresses_are_sorted_by_clicks_and_matched_by_queries(house: House) -> None:
    last = stored_search.today() - timedelta(days=3)
    window = ending(last, 28)
    url = house.url("/nothing")
    stored_search.put_rows(house.website, "page", {last: [Told(url, 9, 90, 2.0)]}, window)
    stored_search.put_pairs(house.website, {last: [Told(pairs.key("about stoves", url), 9, 90, 2.0)]}, window)
    house.shop.extra["/shop/stoves"] = "<title>About stoves</title>"
    audit(house.current(), page_budget=500)
    first = listed(house).rows[0]
    assert (first.missing.url, first.missing.clicks, first.missing.impressions) == (url, 9, 90)
    assert (first.target, first.because, first.text) == (house.url("/shop/stoves"), "search", "about stoves")


def test_an_address_known_only_from_search_can_be_redirected(house: House) -> None:
    last = stored_search.today() - timedelta(days=3)
    url = house.url("/only-searched")
    stored_search.put_rows(house.website, "page", {last: [Told(url, 9, 90, 2.0)]}, ending(last, 28))
    audit(house.current(), page_budget=500)
    assert url in [one.missing.url for one in listed(house).rows]
    batch = house.redirect({"/only-searched": "/shop/stoves"})
    assert batch.issue_id is None and status(house) == "open"
    house.work()
    assert only(house, batch).status == "applied"
    (event,) = house.events("write.applied")
    assert event.fields["issueIds"] == [] and event.link.endswith(f"/changes/{batch.id}")
    house.undo(batch)
    house.work()
    assert house.shop.redirects == {} and only(house, batch).status == "reverted"


def test_a_searched_address_that_is_not_live_is_reported_once(house: House) -> None:
    last = stored_search.today() - timedelta(days=3)
    stored_search.put_rows(
        house.website, "page", {last: [Told(house.url("/only-searched"), 9, 90, 2.0)]}, ending(last, 28)
    )
    audit(house.current(), page_budget=500)
    house.cms.misbehave("hide_writes")
    batch = house.redirect({"/only-searched": "/shop/stoves"})
    house.work()
    assert only(house, batch).status == "not_live", "no recheck follows that could tell of it"
    (event,) = house.events("write.not_live")
    assert event.link.endswith(f"/changes/{batch.id}") and house.loaded(batch).batch.not_live_told


def test_two_people_who_approve_at_the_same_time_make_one_batch(house: House) -> None:
    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(lambda _: house.redirect({"/nothing": "/shop/stoves"}).id, range(2)))
    assert len(set(made)) == 1 and len(house.batches()) == 1


def test_the_equal_batch_that_another_request_approved_meanwhile_is_returned(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    list_all, equal = stored_changes.list_all, []

    def after_the_other(site_id: str) -> list[Batch]:
        if not equal:
            monkeypatch.setattr(stored_changes, "list_all", list_all)
            equal.append(house.redirect({"/nothing": "/shop/stoves"}))
        return list_all(site_id)

    monkeypatch.setattr(stored_changes, "list_all", after_the_other)
    assert house.redirect({"/nothing": "/shop/stoves"}).id == equal[0].id
    assert len(house.batches()) == 1
