"""Which addresses are asked for beside the pages, and in which order."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.page import targets
from chalicelib.domain.page.facts import LINK_NOFOLLOW, Link, PageFacts, TargetFacts
from chalicelib.domain.page.targets import MOST_HOPS, TARGETS_PER_HOST, Plan, TargetQueue, target_limit

HOME = "https://example.com"


def page(path: str, *, links: Iterable[str] = (), external: Iterable[str] = (), canonical: str = "") -> PageFacts:
    return PageFacts(
        url=HOME + path,
        status=200,
        links=[Link(HOME + target) for target in links],
        external_links=[Link(target) for target in external],
        canonicals=[(canonical, canonical, "html")] if canonical else [],
    )


def plan(pages: Iterable[PageFacts], *, unread: Iterable[str] = (), limit: int = 200, forbidden: str = "-") -> Plan:
    noted = list(pages)
    left = {HOME + path for path in unread}
    read = {facts.url for facts in noted}
    result = Plan(
        "example.com",
        limit,
        read=read,
        unread=left,
        allowed=lambda url: forbidden not in url,
    )
    for facts in noted:
        result.note(facts)
    return result


def queued(queue: TargetQueue) -> list[str]:
    result = []
    while (target := queue.take()) is not None:
        result.append(target.url)
    return result


def test_at_most_half_as_many_links_as_pages_are_checked_but_always_up_to_200() -> None:
    assert [target_limit(pages) for pages in (0, 3, 400, 402, 10_000)] == [200, 200, 200, 201, 5_000]


def test_canonicals_are_checked_before_links() -> None:
    pages = [
        page("/", links=["/a", "/b"], external=["https://x.test/1", "https://y.test/1"]),
        page("/p", links=["/c"], canonical="https://other.test/p"),
    ]
    assert [target.url for target in plan(pages, unread=["/a", "/b", "/c"]).targets()] == [
        "https://other.test/p",
        HOME + "/a",
        "https://x.test/1",
        HOME + "/b",
        "https://y.test/1",
        HOME + "/c",
    ]


def test_pages_already_read_and_disallowed_addresses_are_not_checked() -> None:
    pages = [page("/", links=["/a", "/cart", "/unknown"], canonical=HOME + "/a"), page("/a", canonical=HOME + "/cart")]
    assert plan(pages, unread=["/cart"], forbidden="/cart").targets() == []


def test_an_unknown_canonical_address_is_checked() -> None:
    (target,) = plan([page("/", canonical=HOME + "/;jsessionid=1")]).targets()
    assert target.kind == "canonical"


def test_requests_to_one_external_host_are_limited() -> None:
    share = [f"https://share.test/?{number}" for number in range(100)]
    found = plan([page("/", external=[*share, "https://other.test/"])]).targets()
    assert len(found) == TARGETS_PER_HOST + 1
    assert found[-1].url == "https://other.test/"


def test_all_internal_links_are_checked_with_the_most_linked_first() -> None:
    names = [f"/{number}" for number in range(500)]
    pages = [page("/", links=names), page("/a", links=names[100:]), page("/b", links=["/499", "/499?x"])]
    found = plan(pages, unread=names).targets()
    assert [target.url for target in found] == [HOME + f"/{number}" for number in (499, *range(100, 499), *range(100))]


def test_files_and_nofollow_links_are_checked_but_filter_addresses_are_not() -> None:
    facts = page("/", links=["/a.pdf", "/b.PNG?x=1", "/calendar", "/login", "/filter?size=1"])
    for link in facts.links[3:]:
        link.flags = LINK_NOFOLLOW
    assert [target.url for target in plan([facts]).targets()] == [HOME + "/a.pdf", HOME + "/b.PNG?x=1", HOME + "/login"]


def test_files_from_the_sitemap_or_a_redirect_are_checked_last() -> None:
    made = plan([page("/", links=["/a.pdf"]), PageFacts(HOME + "/old", 301, redirect_to=HOME + "/new.pdf")])
    made.note_file(HOME + "/listed.pdf")
    made.note_file(HOME + "/listed")
    assert [target.url for target in made.targets()] == [HOME + "/a.pdf", HOME + "/new.pdf", HOME + "/listed.pdf"]


def test_links_that_do_not_fit_in_memory_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "MOST_INTERNAL", 10)
    names = [f"/{number}" for number in range(25)]
    queue = TargetQueue(plan([page("/", links=names), page("/a", links=names)], unread=names))
    assert len(queued(queue)) == 10
    assert queue.links_left() == 25
    for number in range(4):
        queue.record(TargetFacts(HOME + f"/{number}", True, 200))
    assert queue.links_left() == 21


def test_redirects_of_internal_links_are_followed_to_their_end() -> None:
    names = [f"/{number}" for number in range(50)]
    queue = TargetQueue(plan([page("/", links=names)], unread=names, limit=10))
    asked = []
    while (target := queue.take()) is not None:
        asked.append(target)
        leads_to = target.url + "x" if not target.hops else None
        queue.record(TargetFacts(target.url, True, 301, redirect_to=leads_to))
    assert [target.hops for target in asked] == [0] * 50 + [1] * 50


def test_redirects_of_other_websites_have_a_limited_share_of_requests() -> None:
    queue = TargetQueue(plan([page("/", external=[f"https://{number}.test/" for number in range(50)])], limit=10))
    asked = []
    while (target := queue.take()) is not None:
        asked.append(target)
        queue.record(TargetFacts(target.url, False, 301, redirect_to=target.url + "x"))
    assert [target.hops for target in asked] == [0] * 8 + [1, 1]


def test_an_endless_redirect_chain_is_given_up_after_a_few_hops() -> None:
    queue = TargetQueue(plan([page("/", links=["/0"])], unread=["/0"]))
    asked = 0
    while (target := queue.take()) is not None:
        asked += 1
        queue.record(TargetFacts(target.url, True, 302, redirect_to=f"{HOME}/{asked}"))
    assert asked == 1 + MOST_HOPS


def test_the_target_of_a_redirect_is_not_requested_if_the_audit_has_already_read_it() -> None:
    queue = TargetQueue(plan([page("/", links=["/a", "/b"])], unread=["/a", "/b"]))
    queue.record(TargetFacts(HOME + "/a", True, 301, redirect_to=HOME + "/b"))
    queue.record(TargetFacts(HOME + "/b", True, 301, redirect_to=HOME + "/"))
    assert queue.take() is None


@given(st.lists(st.booleans(), max_size=30), st.integers(min_value=0, max_value=30))
def test_a_worker_that_takes_over_checks_the_same_addresses_in_the_same_order(redirects: list[bool], done: int) -> None:
    names = [f"/{number}" for number in range(len(redirects))]
    whole = plan([page("/", links=names)], unread=names, limit=40)

    def answer(url: str, moved: bool) -> TargetFacts:
        return TargetFacts(url, True, 301, redirect_to=url + "/new") if moved else TargetFacts(url, True, 200)

    first = TargetQueue(whole)
    recorded = []
    for moved in redirects[:done]:
        target = first.take()
        if target is None:
            break
        recorded.append(answer(target.url, moved))
        first.record(recorded[-1])
    second = TargetQueue(whole)
    for facts in recorded:
        second.record(facts)
    assert queued(second) == queued(first)


def test_status_codes_of_other_websites_count_only_if_they_are_unambiguous() -> None:
    def shown(status: int, own_host: bool) -> int:
        return TargetFacts("https://example.com/a", own_host, status).as_page().status

    assert [shown(status, False) for status in (200, 301, 404, 410, 500)] == [200, 301, 404, 410, 500]
    assert {shown(status, False) for status in (401, 403, 405, 406, 429, 451, 503, 520, 999)} == {0}
    assert [shown(status, True) for status in (403, 429, 503)] == [403, 429, 503]
