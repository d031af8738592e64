"""The difference of two audits through the API: what it tells, to whom, and what is told of what is kept no more."""

import msgspec
import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.audit.kept import HEADER_SECONDS, PAGES_SECONDS, KeptIssue
from chalicelib.domain.audit.summary import ScoreEntry
from chalicelib.store import crawls, items, keys
from chalicelib.store.transactions import commit
from tests.api import seed
from tests.api.client import Client
from tests.api.conftest import House

FIRST, SECOND = "crawl_01A", "crawl_01B"


@pytest.fixture
def path(house: House) -> str:
    site = house.site
    rows = [msgspec.structs.replace(row, facts_crawl=SECOND) for row in seed.rows(site, 6)]
    changed = [msgspec.structs.replace(rows[2], title="Another title", status=404), *rows[3:]]
    score = ScoreEntry(789, 801, None, "1", clock.now() - seed.DAY, FIRST)
    seed.keep(site, FIRST, rows[:5], 2, score=score, crawlers={"GPTBot": True, "CCBot": True}, speed=None)
    seed.keep(site, SECOND, changed, 1, crawlers={"GPTBot": False, "CCBot": True})
    for audit_id in (FIRST, SECOND):
        commit([crawls.put_new(seed.header(site, audit_id))])
    return f"/sites/{site.id}/audits/{SECOND}/diff"


def test_an_audit_is_compared_with_the_previous_one(house: House, api: Client, path: str) -> None:
    told = api.get(path).json
    assert (told["audit"]["auditId"], told["against"]["auditId"]) == (SECOND, FIRST)
    assert told["scores"]["site"] == {"before": 78.9, "after": 81.4, "difference": 2.5}
    assert told["scores"]["aeo"] == {"before": None, "after": 76.6, "difference": None}, "it was not measured"
    assert told["scores"]["comparable"] is True
    assert told["categories"][0] == {"category": "ONP", "before": 74.2, "after": 74.2, "difference": 0.0}
    assert told["crawlers"] == [{"bot": "GPTBot", "before": True, "after": False}]
    assert told["robotsTxt"] == {"statusBefore": 200, "statusAfter": 200, "changed": False}
    assert told["speed"]["before"] is None and told["speed"]["after"]["labLcpMs"] == 1800.0
    pages = told["pages"]
    names = [seed.url(house.site, number) for number in range(6)]
    assert [one["url"] for one in pages["left"]["pages"]] == names[:2] and pages["left"]["count"] == 2
    assert [one["url"] for one in pages["appeared"]["pages"]] == names[5:]
    (changed,) = pages["changed"]["pages"]
    assert changed["url"] == names[2] and changed["fields"][0] == {"field": "status", "before": 200, "after": 404}
    assert pages["changed"]["byField"]["title"] == 1
    issue = told["issues"]["issues"][0]
    assert (issue["change"], issue["pagesBefore"], issue["pagesAfter"]) == ("shrunk", 2, 1)
    assert (issue["ruleId"], issue["came"]["count"], issue["went"]["count"]) == (seed.PAGE_RULE.id, 1, 2)
    assert told["issues"]["shrunk"] == 1 and told["issues"]["new"] == 0


@pytest.mark.parametrize("scopes", [(), ("issues:read",), ("pages:read",), ("issues:read", "pages:read")])
def test_the_scopes_of_a_key_decide_which_parts_of_the_comparison_it_gets(
    house: House, path: str, scopes: tuple[str, ...]
) -> None:
    told = Client(house.new_key("sites:read", *scopes)).get(path).json
    assert ("issues" in told, "pages" in told) == ("issues:read" in scopes, "pages:read" in scopes)
    text = str(told)
    assert (seed.url(house.site, 5) in text) == ("pages:read" in scopes), "addresses are of pages"
    if "issues:read" in scopes:
        assert told["issues"]["issues"][0]["went"]["count"] == 2, "counts are of issues"
    assert Client(house.new_key("issues:read", "pages:read")).get(path).code == "missing_scope"


def test_scores_and_issues_are_compared_even_after_page_data_is_deleted(api: Client, path: str) -> None:
    clock.set_offset(clock.offset() + PAGES_SECONDS + 60)
    told = api.get(path).json
    assert told["pages"] is None and told["scores"]["site"]["difference"] == 2.5
    issue = told["issues"]["issues"][0]
    assert (issue["change"], issue["came"], issue["went"]) == ("shrunk", None, None)


def test_a_deleted_audit_and_an_unknown_audit_have_different_error_codes(house: House, api: Client, path: str) -> None:
    first = path.replace(SECOND, FIRST)
    assert (api.get(first).status, api.get(first).code) == (404, "not_kept")
    assert "No audit before" in api.get(first).json["error"]["message"]
    commit([crawls.put_new(seed.header(house.site, "crawl_failed", status="failed"))])
    assert api.get(path + "?against=crawl_failed").code == "not_kept"
    assert api.get(path.replace(SECOND, "crawl_failed")).code == "not_kept"
    assert api.get(path + "?against=crawl_unknown").code == "not_found"
    assert api.get(path + "?against=%E2%80%AE").code == "not_found"
    assert api.get(f"/sites/{house.other_site.id}/audits/{SECOND}/diff").code == "not_found"
    clock.set_offset(clock.offset() + HEADER_SECONDS + 60)
    assert api.get(path).code == "not_kept"


def test_scores_of_different_score_versions_are_not_compared(house: House, api: Client, path: str) -> None:
    seed.keep(house.site, "crawl_01C", [], 0, score=ScoreEntry(500, 500, 500, "2", clock.now(), "crawl_01C"))
    told = api.get(path.replace(SECOND, "crawl_01C")).json
    assert told["scores"]["comparable"] is False
    assert told["scores"]["site"] == {"before": 81.4, "after": 50.0, "difference": None}
    seed.keep(house.site, "crawl_01D", [], 0, score=None, categories=[])
    unscored = api.get(path.replace(SECOND, "crawl_01D")).json
    assert unscored["audit"]["score"] is None and unscored["scores"]["site"]["after"] is None


def test_a_removed_rule_is_left_out(house: House, api: Client, path: str) -> None:
    gone = KeptIssue(ids.issue_id(house.site.id, "SEO-OLD-001"), "SEO-OLD-001", "open", 5, True)
    seed.keep(house.site, "crawl_01C", [], 0, issues=[gone])
    told = api.get(path.replace(SECOND, "crawl_01C")).json["issues"]
    assert "SEO-OLD-001" not in str(told) and told["new"] == 0


def test_page_titles_are_returned_unchanged(house: House, api: Client, path: str) -> None:
    odd = "<script>alert(1)</script>\u202e\u0000\U0001f600"
    rows = [msgspec.structs.replace(row, facts_crawl=SECOND, title=odd) for row in seed.rows(house.site, 6)[2:]]
    seed.keep(house.site, "crawl_01C", rows, 0)
    changed = api.get(path.replace(SECOND, "crawl_01C")).json["pages"]["changed"]["pages"]
    assert {part["after"] for one in changed for part in one["fields"] if part["field"] == "title"} == {odd}


def test_the_page_comparison_is_null_if_a_block_of_page_data_is_missing(house: House, api: Client, path: str) -> None:
    items.delete("crawls", *keys.kept_pages(house.site.id, FIRST, 0))
    assert api.get(path).json["pages"] is None


def test_the_stored_comparison_equals_a_newly_computed_comparison(house: House, api: Client, path: str) -> None:
    third = path.replace(SECOND, "crawl_01C")
    rows = [msgspec.structs.replace(row, facts_crawl="crawl_01C") for row in seed.rows(house.site, 6)[3:]]
    seed.keep(house.site, "crawl_01C", rows, 2, crawlers={"GPTBot": True})
    computed = api.get(third).json
    seed.keep(house.site, "crawl_01C", rows, 2, crawlers={"GPTBot": True}, compared=True)
    items.delete("crawls", *keys.kept_pages(house.site.id, SECOND, 0))  # nobody looks there
    stored = api.get(third).json
    assert computed["pages"]["left"]["count"] == 1 and computed["issues"]["issues"]
    for told in (computed, stored):
        del told["audit"]["finishedAt"], told["audit"]["score"]["computedAt"]
    assert stored == computed
    assert api.get(f"{third}?against={SECOND}").json["pages"] == computed["pages"]
    other = api.get(f"{third}?against={FIRST}").json
    assert other["against"]["auditId"] == FIRST and other["pages"]["left"]["count"] == 3


def test_without_the_previous_audit_there_is_no_comparison(house: House, api: Client, path: str) -> None:
    seed.keep(house.site, "crawl_01C", [], 0, compared=True)
    items.delete("crawls", *keys.kept_header(house.site.id, SECOND))
    assert api.get(path.replace(SECOND, "crawl_01C")).code == "not_kept"
