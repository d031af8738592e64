"""Where redirects lead, as far as the audit asked."""

from chalicelib.rules.engine import Judge
from chalicelib.rules.redirects import MOST_HOPS, NO_REDIRECT, Redirects
from tests.rules.builders import address, page, redirect, site_of


def test_a_redirect_is_followed_to_its_final_page() -> None:
    pages = [redirect("/a", address("/b")), redirect("/b", address("/c")), page("/c"), page("/")]
    judge = Judge(site_of(pages))
    assert judge.page(pages[0]).redirects == Redirects((address("/b"), address("/c")), "answer")
    assert judge.page(pages[2]).redirects == NO_REDIRECT


def test_the_list_of_redirects_of_a_loop_ends_with_its_first_repeated_address() -> None:
    pages = [redirect("/a", address("/b")), redirect("/b", address("/a")), page("/")]
    assert Judge(site_of(pages)).page(pages[0]).redirects == Redirects((address("/b"), address("/a")), "loop")


def test_a_redirect_to_an_unrequested_address_has_an_unknown_end() -> None:
    elsewhere = redirect("/a", "https://elsewhere.test/")
    assert Judge(site_of([elsewhere, page("/")])).page(elsewhere).redirects.end == "unread"


def test_an_endless_redirect_chain_is_cut() -> None:
    pages = [redirect(f"/{number}", address(f"/{number + 1}")) for number in range(100)]
    found = Judge(site_of([*pages, page("/")])).page(pages[0]).redirects
    assert (len(found.hops), found.end) == (MOST_HOPS, "loop")
