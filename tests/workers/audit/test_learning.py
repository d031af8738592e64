"""What was fixed and seen by a recheck or an alert stays fixed in partial audits: the newest answer counts."""

from typing import Any

import pytest

from chalicelib.store import targets
from chalicelib.workers.audit import checking
from tests.servers.wire import WireServer
from tests.sites.standing import moves, standing
from tests.workers.audit import alerting, rechecking
from tests.workers.audit.websites import Site, audit, html, new_website, status_of

pytestmark = pytest.mark.usefixtures("audits_of_loopback")

IMAGE_RULE = "SEO-IMG-004"
IMAGE = ("200 OK", {"content_type": "image/png"}, b"\x89PNG")
ALTERNATES = '<link rel="alternate" hreflang="en" href="/a"><link rel="alternate" hreflang="de" href="/target">'


def back(head: str = "") -> str:
    return html("The target is here again", "/", head=head)


def to(path: str) -> Any:
    return ("301 Moved Permanently", {"location": path}, b"")


# By rule: what the page /a holds, what its target answers, and what it answers once it is mended.
LINK = '<p>See <a href="/target">the target of this page</a></p>'
FAULTS: dict[str, tuple[dict[str, str], Any, Any]] = {
    "SEO-LNK-001": ({"body": LINK}, None, back()),
    "SEO-LNK-002": ({"body": LINK}, to("/y"), back()),
    "SEO-TEC-022": ({"body": LINK}, to("/hop"), to("/y")),
    IMAGE_RULE: ({"body": '<img src="/target" alt="A picture" width="1" height="1">'}, None, IMAGE),
    "SEO-HRE-002": ({"head": ALTERNATES}, None, back(ALTERNATES)),
    "SEO-TEC-014": ({"head": '<link rel="canonical" href="/target">'}, None, back()),
}
SITEMAP = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>{}</loc></url></urlset>'


def site_of(rule_id: str) -> Site:
    holds, target, _ = FAULTS[rule_id]
    pages: dict[str, Any] = {
        "/": html("The home page of a small website", "/x", "/y"),
        "/x": html("Everything about the letter X", "/", "/a"),
        "/y": html("Everything about the letter Y", "/"),
        "/a": html("Everything about the letter A", "/", **holds),
        "/hop": to("/y"),
    }
    return Site(pages | ({} if target is None else {"/target": target}))


CASES = [(rule_id, listed) for rule_id in FAULTS for listed in (False, True) if (rule_id, listed) != (IMAGE_RULE, True)]


@pytest.mark.parametrize(("rule_id", "listed"), CASES)
def test_an_issue_resolved_by_a_recheck_stays_resolved_in_partial_audits(rule_id: str, listed: bool) -> None:
    site = site_of(rule_id)
    with WireServer(site) as server:
        if listed:
            site.pages["/sitemap.xml"] = ("200 OK", {}, SITEMAP.format(server.url("/target")).encode())
        website = new_website(server)
        audit(website)
        assert status_of(website, rule_id) == "open"
        site.pages["/target"] = FAULTS[rule_id][2]
        rechecking.rechecked(website, rule_id)
        assert status_of(website, rule_id) == "resolved"
        for budget in (1, 2, 3, 1):
            audit(website, page_budget=budget)
            assert status_of(website, rule_id) == "resolved", budget
        assert not [move for move in moves(website) if move.startswith("issue.reopened")]


@pytest.mark.parametrize("rule_id", ["SEO-LNK-001", IMAGE_RULE])
def test_a_link_target_that_an_alert_read_counts_in_the_next_partial_audit(rule_id: str) -> None:
    site = site_of(rule_id)
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        site.pages["/target"] = FAULTS[rule_id][2]
        alerting.alerted(website, server, "/a")
        for budget in (1, 2, 1):
            audit(website, page_budget=budget)
            assert status_of(website, rule_id) == "resolved", budget


def test_a_repaired_external_link_stays_resolved_in_partial_audits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "GAP_ELSEWHERE_SECONDS", 0.0)
    site = Site({"/": html("The home page of a small website", "/x"), "/x": html("Everything about X", "/", "/a")})
    with WireServer(site) as server:
        elsewhere = f"http://localhost:{server.port}/elsewhere"
        site.pages["/a"] = html("About A", "/", body=f'<p>See <a href="{elsewhere}">another website</a></p>')
        website = new_website(server)
        audit(website)
        assert status_of(website, "SEO-LNK-008") == "open"
        site.pages["/elsewhere"] = html("It is here again")
        for budget in (3, 1, 2, 1):
            audit(website, page_budget=budget)
            assert status_of(website, "SEO-LNK-008") == "resolved", budget


def test_the_latest_of_several_rechecks_counts() -> None:
    site = site_of(IMAGE_RULE)
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        header = alerting.summary_of(website).last_audit
        assert header is not None
        seen = []
        for answer in (IMAGE, ("404 Not Found", {}, b""), IMAGE):
            site.pages["/target"] = answer
            alerting.alerted(website, server, "/a")
            known = {target.url: target.status for target in targets.load_known(header.id) if target.image}
            seen.append(known[server.url("/target")])
        assert seen == [200, 404, 200]
        audit(website, page_budget=1)
        assert status_of(website, IMAGE_RULE) == "resolved"


@pytest.mark.parametrize("rule_id", ["SEO-LNK-001", IMAGE_RULE, "SEO-TEC-014"])
def test_a_recheck_stores_no_link_targets_if_their_answers_have_not_changed(rule_id: str) -> None:
    with WireServer(site_of(rule_id)) as server:
        website = new_website(server)
        before = list(targets.load_known(audit(website).id))
        rechecking.rechecked(website, rule_id)
        alerting.alerted(website, server, "/a")
        audited = alerting.summary_of(website).last_audit
        assert audited is not None and list(targets.load_known(audited.id)) == before


def test_an_issue_is_resolved_if_a_partial_audit_requests_its_address() -> None:
    site = site_of("SEO-LNK-001")
    site.pages["/"] = html("The home page of a small website", "/x", "/y", "/a")
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        assert status_of(website, "SEO-TEC-004") == "open"
        site.pages["/target"] = back()
        lost = standing(website).scores
        audit(website, page_budget=1)
        assert status_of(website, "SEO-TEC-004") == "resolved"
        now = standing(website).scores
        assert lost is not None and now is not None and now > lost
