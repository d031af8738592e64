"""Judging the listed pages of one issue again."""

from collections.abc import Sequence

from chalicelib.domain.audit.recheck import Reread
from chalicelib.domain.page.facts import PageFacts
from chalicelib.rules.rechecking import judge_again, linking_pages
from chalicelib.rules.registry import BY_ID
from tests.rules.builders import NOW, address, answer, links, page, redirect, site_facts

NO_TITLE, SAME_TITLE = "SEO-ONP-001", "SEO-ONP-002"
FAILS, GONE, BROKEN_LINK = "SEO-TEC-003", "SEO-TEC-004", "SEO-LNK-001"


def by_address(pages: Sequence[PageFacts]) -> dict[str, PageFacts]:
    return {facts.url: facts for facts in pages}


def again(rule_id: str, listed: Sequence[str], published: Sequence[PageFacts], *fresh: PageFacts) -> dict[str, str]:
    """What is decided of each listed path."""
    found = judge_again(
        BY_ID[rule_id],
        site_facts(),
        listed=map(address, listed),
        published=by_address(published),
        fresh=by_address(fresh),
        images=(),
        now=NOW,
    )
    return {path: found[address(path)].outcome for path in listed}


def test_each_listed_page_has_an_outcome() -> None:
    untitled = [page(path, title=None, title_count=0) for path in ("/a", "/b", "/c", "/d", "/e")]
    fresh = (page("/a"), untitled[1], answer("/c", 404), answer("/d", 503))
    assert again(NO_TITLE, ["/a", "/b", "/c", "/d", "/e"], [page("/"), *untitled], *fresh) == {
        "/a": "passed",
        "/b": "present",
        "/c": "gone",
        "/d": "unread",
        "/e": "unread",
    }


def test_a_page_that_still_shows_it_says_what_was_seen() -> None:
    untitled = page("/a", title=None, title_count=0)
    found = judge_again(
        BY_ID[NO_TITLE],
        site_facts(),
        listed=[untitled.url],
        published=by_address([untitled]),
        fresh=by_address([untitled]),
        images=(),
        now=NOW,
    )
    assert isinstance(found[untitled.url], Reread) and found[untitled.url].evidence is not None


def test_pages_are_judged_beside_the_published_ones() -> None:
    twins = [page("/a", title="The one title that both have"), page("/b", title="The one title that both have")]
    published = [page("/"), *twins]
    assert again(SAME_TITLE, ["/a"], published, twins[0]) == {"/a": "present"}
    assert again(SAME_TITLE, ["/a"], published, page("/a")) == {"/a": "passed"}


def test_rules_about_answers_judge_by_any_answer() -> None:
    assert BY_ID[FAILS].population == "crawled"
    assert again(FAILS, ["/a"], [page("/"), page("/a")], answer("/a", 503)) == {"/a": "present"}


def test_the_pages_to_mend_are_those_that_hold_the_links() -> None:
    published = by_address([page("/", links=links("/a", "/gone")), page("/a"), page("/b", links=links("/gone"))])
    gone = [address("/gone")]
    assert linking_pages(BY_ID[GONE], gone, published) == [address("/"), address("/b")]  # lists what does not work
    assert linking_pages(BY_ID[BROKEN_LINK], [address("/")], published) == [address("/")]  # lists who links to it
    assert linking_pages(BY_ID[NO_TITLE], gone, published) is None


def test_what_is_read_again_says_where_it_leads() -> None:
    fresh = [redirect("/a", "/b"), redirect("/b", "/c")]
    found = judge_again(
        BY_ID[NO_TITLE],
        site_facts(),
        listed=[address("/a"), address("/c")],
        published=by_address([page("/"), page("/a"), page("/b"), page("/c")]),
        fresh=by_address([*fresh, page("/c")]),
        images=(),
        now=NOW,
    )
    assert found[address("/a")] == Reread("gone", None, (address("/b"), address("/c")), "answer")
    assert found[address("/c")] == Reread("passed")


def test_a_page_that_redirects_now_is_gone() -> None:
    untitled = page("/a", title=None, title_count=0)
    assert again(NO_TITLE, ["/a"], [page("/"), untitled], redirect("/a", "/")) == {"/a": "gone"}
