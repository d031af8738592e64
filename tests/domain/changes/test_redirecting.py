"""Which redirects may be written, and what the live website shows of one."""

import pytest

from chalicelib.domain.changes.batch import Change
from chalicelib.domain.changes.redirecting import LONGEST, Answered, checked, conflict, seen, why_not
from chalicelib.domain.changes.values import BadValue

SITE = "https://a.example"
OLD, NEW = f"{SITE}/old", f"{SITE}/new"
GONE, PAGE = Answered(status=404), Answered(status=200, page=True)


def test_a_redirect_target_is_an_address_of_the_website_or_a_path() -> None:
    for given in (NEW, " /new ", "HTTPS://A.example/new#part", "/x/../new"):
        assert checked(OLD, given, "a.example") == NEW


@pytest.mark.parametrize(
    ("source", "value", "said"),
    [
        (OLD, "", "no target"),
        (OLD, "new", "an address of a.example"),
        (OLD, "//b.example/new", "an address of a.example"),
        (OLD, "https://b.example/new", "an address of a.example"),
        (OLD, "https://blog.a.example/new", "an address of a.example"),
        (OLD, "javascript:alert(1)", "an address of a.example"),
        (OLD, f"/{'x' * 3_000}", "an address of a.example"),
        (OLD, "/new\u202e", "the target has"),
        (OLD, "/old", "the redirected address itself"),
        (OLD, "http://www.a.example/old", "the redirected address itself"),
        (OLD, f"/{'x' * (LONGEST - 5)}", "the target is too long"),
        ("https://b.example/old", NEW, "only addresses of a.example"),
        (f"{SITE}/", NEW, "never redirected"),
        (f"{SITE}/wp-json/wos/v1", NEW, "never redirected"),
        (f"{SITE}/robots.txt", NEW, "never redirected"),
        (f"{SITE}/robots.txt?x=1", NEW, "never redirected"),
        (f"{SITE}/llms.txt", NEW, "never redirected"),
        (f"{SITE}/{'x' * LONGEST}", NEW, "too long"),
    ],
)
def test_invalid_redirect_targets_are_refused(source: str, value: str, said: str) -> None:
    with pytest.raises(BadValue, match=said):
        checked(source, value, "a.example")


def test_a_redirect_chain_or_loop_is_refused_and_the_final_address_named() -> None:
    held = {"/a": f"{SITE}/b", "/old": f"{SITE}/new"}
    assert conflict(OLD, f"{SITE}/other", held) is None, "its own redirect is replaced"
    assert f"itself redirects to {SITE}/b" in (conflict(f"{SITE}/x", f"{SITE}/a", held) or "")
    assert "Another redirect leads to this address" in (conflict(f"{SITE}/b", f"{SITE}/y", held) or "")
    loop = {"/a": f"{SITE}/b", "/b": f"{SITE}/a"}
    assert conflict(f"{SITE}/a", f"{SITE}/b", loop) and conflict(f"{SITE}/b", f"{SITE}/a", loop)


@pytest.mark.parametrize(
    ("source", "target", "said"),
    [
        (GONE, PAGE, None),
        (Answered(status=410), PAGE, None),
        (PAGE, PAGE, "The address answers 200"),
        (Answered(status=301, leads_to=NEW), PAGE, f"The address answers 301 and leads to {NEW}"),
        (Answered(status=500), PAGE, "The address answers 500"),
        (Answered(status=0, error="no answer"), PAGE, "The address did not answer: no answer"),
        (GONE, GONE, "The target answers 404"),
        (GONE, Answered(status=302, leads_to=OLD), f"The target answers 302 and leads to {OLD}"),
        (GONE, Answered(status=0), "The target did not answer"),
        (GONE, Answered(status=200), "could not be read as a page"),
        (GONE, Answered(status=200, page=True, noindex=True), "noindex"),
        (GONE, Answered(status=200, page=True, canonical=f"{SITE}/c"), f"names {SITE}/c"),
    ],
)
def test_a_redirect_from_an_existing_page_or_to_a_missing_page_is_refused(
    source: Answered, target: Answered, said: str | None
) -> None:
    found = why_not(source, target)
    assert found is None if said is None else said in (found or "")


def change(value: str = NEW, gone: str | None = None) -> Change:
    return Change(number=0, url=OLD, cms_id="", field="redirect", key="/old", value=value, gone=gone)


@pytest.mark.parametrize(
    ("source", "target", "live", "said"),
    [
        (Answered(status=301, leads_to=NEW), PAGE, True, None),
        (Answered(status=302, leads_to=NEW), PAGE, False, "answers 302"),
        (Answered(status=301, leads_to=f"{NEW}/"), PAGE, False, f"leads to {NEW}/"),
        (Answered(status=301), PAGE, False, "answers 301"),
        (GONE, PAGE, False, "may answer without asking the CMS"),
        (Answered(status=0, error="no answer"), PAGE, False, "did not answer"),
        (Answered(status=301, leads_to=NEW), GONE, False, "its target answers 404"),
    ],
)
def test_a_live_redirect_is_a_single_301_to_a_page(
    source: Answered, target: Answered, live: bool, said: str | None
) -> None:
    look = seen(change(), source, target, 1.0)
    assert look.live is live and (said is None or said in (look.reason or ""))


@pytest.mark.parametrize(
    ("source", "live"),
    [
        (GONE, True),
        (PAGE, True),
        (Answered(status=301, leads_to=f"{SITE}/other"), True),
        (Answered(status=301, leads_to=NEW), False),
        (Answered(status=0), False),
        (Answered(status=503), False),
        (Answered(status=403), False),
    ],
)
def test_an_undone_redirect_counts_as_removed_once_its_address_redirects_no_more(source: Answered, live: bool) -> None:
    assert seen(change("", gone=NEW), source, PAGE, 1.0).live is live
