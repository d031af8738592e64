"""The issue list and an issue in full."""

from typing import get_args
from urllib.parse import quote

import pytest
from msgspec import structs

from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.audit.issues import STATUSES, Issue
from chalicelib.domain.severity import SEVERITIES
from chalicelib.operations import issues as operations
from chalicelib.rules import registry
from chalicelib.rules.model import Category
from chalicelib.store import issues
from chalicelib.store.transactions import commit
from tests import aws
from tests.api import seed
from tests.api.client import Client
from tests.api.conftest import House
from tests.api.files import cells_of, check_is_the_walk


def _path(house: House, rule_id: str) -> str:
    return f"/sites/{house.site.id}/issues/{ids.issue_id(house.site.id, rule_id)}"


def test_the_list_is_empty_before_the_first_audit(house: House, api: Client) -> None:
    assert api.get(f"/sites/{house.site.id}/issues").json == {"counts": None, "issues": []}


def test_the_list_shows_only_open_and_reopened_issues_by_default(house: House, api: Client) -> None:
    seed.audited(house.site)
    path = f"/sites/{house.site.id}/issues"
    assert [issue["ruleId"] for issue in api.get(path).json["issues"]] == [seed.PAGE_RULE.id]
    assert [issue["ruleId"] for issue in api.get(f"{path}?status=resolved").json["issues"]] == [seed.SITE_RULE.id]
    both = api.get(f"{path}?status=resolved,open,ignored").json["issues"]
    assert {issue["ruleId"] for issue in both} == {seed.SITE_RULE.id, seed.PAGE_RULE.id}


def test_a_listed_issue_shows_its_rule_and_its_last_recheck(house: House, api: Client) -> None:
    seed.audited(house.site)
    issue = api.get(f"/sites/{house.site.id}/issues").json["issues"][0]
    assert issue["title"] == seed.PAGE_RULE.title
    assert issue["category"] == seed.PAGE_RULE.category
    assert issue["affectedPages"] == 2
    assert issue["link"] == f"https://app.example.com/sites/{house.site.id}/issues/{issue['id']}"
    recheck = issue["lastRecheck"]
    assert (recheck["present"], recheck["checked"], recheck["passed"]) == (1, 2, False)
    assert recheck["notRechecked"] == 1
    assert "note" not in recheck
    assert "linkingPages" not in recheck


def test_the_csv_of_issues_equals_the_list(house: House, api: Client) -> None:
    several(house)
    path = f"/sites/{house.site.id}/issues?status=open,ignored,resolved"
    file = check_is_the_walk(api, path, "issues")
    assert file[0]["lastRecheck.passed"] == "false" and len(cells_of(api.get(f"{path}&format=csv&category=SEC"))) == 1
    assert all(row["category"] == "SEC" for row in cells_of(api.get(f"{path}&format=csv&category=SEC&rows=pages")))


def test_keyword_tasks_are_left_out_of_the_list(house: House, api: Client) -> None:
    seed.audited(house.site)
    book = issues.load_state(house.site.id)
    assert book is not None
    task = Issue("iss_task", "KW-001", "open", 1, 1, 1.0, 1.0, "A keyword.")
    book.issues.append(task)
    book.version = 2
    commit([issues.put_state(house.site.id, book, replaces=1)])
    listed = api.get(f"/sites/{house.site.id}/issues").json["issues"]
    assert [issue["ruleId"] for issue in listed] == [seed.PAGE_RULE.id]


def several(house: House) -> None:
    """Six issues of several states, severities, categories and templates."""
    seed.audited(house.site)
    book = issues.load_state(house.site.id)
    assert book is not None
    one = book.issues[0]
    made = [
        ("SEO-ONP-001", "open", "Product", "3 of 9 pages. For example https://acme.example/m%C3%BCnchen/: none."),
        ("SEO-ONP-004", "ignored", "Product", "All of them."),
        ("SEO-ONP-005", "open", None, "Some of them."),
        ("SEO-TEC-003", "recheck_queued", "Product", "Some of them."),
        ("SEO-SEC-001", "resolved", None, "None of them."),
        ("SEO-GONE-001", "open", "Product", "Of a rule that this release has no longer."),
    ]
    found = [
        structs.replace(one, id=rule, rule_id=rule, status=status, template=template, summary=summary)
        for rule, status, template, summary in made
    ]
    after = structs.replace(book, issues=found, version=book.version + 1)
    commit([issues.put_state(house.site.id, after, replaces=book.version)])


FILTERS = (
    "",
    "status=open",
    "status=open,ignored,resolved",
    "severity=critical,high",
    "category=ONP",
    "category=ONP,SEC&severity=medium,low,high",
    "template=Product",
    "template=product",
    "q=SOME+of",
    "q=seo-onp",
    "q=m%C3%BCnchen",
    "q=nowhere",
    "template=Product&q=example&category=ONP,TEC&status=open",
)


@pytest.mark.parametrize("asked", FILTERS)
def test_each_filter_count_equals_the_number_of_listed_issues(house: House, api: Client, asked: str) -> None:
    several(house)
    path = f"/sites/{house.site.id}/issues"
    counts = api.get(f"{path}?{asked}").json["counts"]
    for member, by_token in counts.items():
        kept = [part for part in asked.split("&") if part and not part.startswith(f"{member}=")]
        for token, count in by_token.items():
            found = api.get(f"{path}?{'&'.join([*kept, f'{member}={token}'])}").json["issues"]
            assert len(found) == count and all(issue[member] == token for issue in found)


def test_several_filters_narrow_the_list_of_issues_together(house: House, api: Client) -> None:
    several(house)

    def rules(asked: str) -> list[str]:
        return sorted(one["ruleId"] for one in api.get(f"/sites/{house.site.id}/issues?{asked}").json["issues"])

    assert rules("") == ["SEO-ONP-001", "SEO-ONP-005", "SEO-TEC-003"]
    assert rules("category=ONP") == ["SEO-ONP-001", "SEO-ONP-005"]
    assert rules("category=ONP&status=ignored") == ["SEO-ONP-004"]
    assert rules("template=Product") == ["SEO-ONP-001", "SEO-TEC-003"]
    assert rules("template=Prod") == []
    assert rules("q=M%C3%9CNCHEN") == rules("q=m%25C3%25BCnchen") == ["SEO-ONP-001"]
    assert rules("q=tec-003") == ["SEO-TEC-003"]
    title = registry.BY_ID["SEO-ONP-005"].title
    assert "SEO-ONP-005" in rules(f"q={quote(title.upper())}")


def test_counts_of_issues_name_every_state_severity_and_category(house: House, api: Client) -> None:
    several(house)
    counts = api.get(f"/sites/{house.site.id}/issues").json["counts"]
    assert tuple(counts["status"]) == STATUSES and tuple(counts["severity"]) == SEVERITIES
    assert set(counts["category"]) == set(get_args(Category))
    assert counts["status"]["open"] == 2 and counts["status"]["in_progress"] == 0
    assert counts["category"]["ONP"] == 2 and "KW" not in counts["category"]


@pytest.mark.parametrize(
    "asked", ["severity=urgent", "severity=", "category=KW", "category=onp", "template=", "q=" + "x" * 501]
)
def test_an_unknown_filter_value_of_issues_is_refused(house: House, api: Client, asked: str) -> None:
    refused = api.get(f"/sites/{house.site.id}/issues?{asked}")
    name = asked.partition("=")[0]
    assert (refused.status, refused.code, refused.json["error"]["param"]) == (400, f"bad_{name}", name)


def test_an_unknown_issue_status_is_refused(house: House, api: Client) -> None:
    for status in ("closed", "open,", "open, resolved", "", "Open"):
        refused = api.get(f"/sites/{house.site.id}/issues?status={status.replace(' ', '%20')}")
        assert (refused.status, refused.code) == (400, "bad_status")
        assert "recheck_queued" in refused.json["error"]["message"]


def test_the_issue_detail_lists_affected_pages_with_their_evidence(house: House, api: Client) -> None:
    seed.audited(house.site)
    body = api.get(_path(house, seed.PAGE_RULE.id)).json
    assert [page["url"] for page in body["pages"]] == [seed.url(house.site, 0), seed.url(house.site, 1)]
    assert body["pages"][0]["evidence"] == {"message": "It is so."}
    assert body["pages"][0]["pageId"] == ids.page_id(house.site.id, seed.url(house.site, 0))
    assert body["pagesTruncated"] is False
    assert body["fix"] == seed.PAGE_RULE.fix
    assert body["writableField"] == seed.PAGE_RULE.writable_field
    assert body["explanation"] is None
    assert body["lastChange"] is None
    assert body["evidence"] is None


def test_an_issue_of_the_whole_website_shows_its_evidence(house: House, api: Client) -> None:
    seed.audited(house.site)
    body = api.get(_path(house, seed.SITE_RULE.id)).json
    assert body["evidence"] == {"message": "It is so."}
    assert body["pages"] == []


def test_the_issue_detail_shows_at_most_1000_pages_and_says_if_there_are_more(house: House, api: Client) -> None:
    seed.audited(house.site, count=3, affected=1_200)
    body = api.get(_path(house, seed.PAGE_RULE.id)).json
    assert len(body["pages"]) == 1_000
    assert body["pagesTruncated"] is True
    assert (body["affectedPages"], body["pagesTotal"]) == (1_200, 1_200)
    rest = api.get(f"{_path(house, seed.PAGE_RULE.id)}?pages_offset={body['pagesNextOffset']}").json
    assert (len(rest["pages"]), rest["pagesNextOffset"], rest["pagesTruncated"]) == (200, None, False)
    first = api.get(f"{_path(house, seed.PAGE_RULE.id)}?pagesOffset=5&pagesLimit=2").json
    assert (first["pages"], first["pagesNextOffset"]) == (body["pages"][5:7], 7)


@pytest.mark.parametrize("query", ["pages_offset=-1", "pages_limit=0", "pages_limit=1001", "changes_offset=x"])
def test_an_invalid_paging_parameter_is_named_in_the_error(house: House, api: Client, query: str) -> None:
    seed.audited(house.site)
    refused = api.get(f"{_path(house, seed.PAGE_RULE.id)}?{query}")
    name, _, value = query.partition("=")
    assert (refused.status, refused.code, refused.json["error"]["param"]) == (400, f"bad_{name}", name)
    assert f"`{name}`" in refused.json["error"]["message"] and value in refused.json["error"]["message"]


def test_both_spellings_of_a_parameter_may_be_sent_if_their_values_are_equal(house: House, api: Client) -> None:
    seed.audited(house.site)
    path = _path(house, seed.PAGE_RULE.id)
    assert api.get(f"{path}?suggestions_offset=0&suggestions_limit=100").status == 200
    assert api.get(f"{path}?suggestionsOffset=0&suggestionsLimit=1").status == 200
    assert api.get(f"{path}?suggestions_offset=0&suggestionsOffset=0").status == 200
    both = api.get(f"{path}?suggestions_offset=0&suggestionsOffset=1")
    assert (both.status, both.code) == (400, "bad_parameter")
    assert api.get(f"{path}?suggestions_limit=101").code == "bad_suggestions_limit"
    assert api.get(f"{path}?suggestionsOffset=-1").code == "bad_suggestions_offset"


def test_parameters_of_a_request_for_an_unknown_issue_are_not_checked(house: House, api: Client) -> None:
    seed.audited(house.site)
    for issue_id in ("iss_unknown", "x" * 3_000, "a%2Fb", "%00", "%F0%9F%A6%8A"):
        missing = api.get(f"/sites/{house.site.id}/issues/{issue_id}?suggestions_limit=0")
        assert (missing.status, missing.code) == (404, "not_found")


def test_a_reopened_issue_about_the_whole_website_lists_the_home_page(house: House, api: Client) -> None:
    seed.audited(house.site)
    seed.reopened(house.site)
    body = api.get(_path(house, seed.SITE_RULE.id)).json
    assert body["affectedPages"] == 1
    (page,) = body["pages"]
    assert (page["url"], page["evidence"]) == (house.site.url, body["evidence"])
    assert page["pageId"] == ids.page_id(house.site.id, house.site.url)
    assert (page["firstSeen"], page["lastSeen"]) == (body["firstSeen"], body["lastSeen"])


def test_a_recheck_of_a_speed_issue_waits_until_speed_tests_end(house: House, api: Client) -> None:
    seed.audited(house.site)
    book = issues.load_state(house.site.id)
    assert book is not None
    page_issue, site_issue = book.issues
    slow = structs.replace(page_issue, id=ids.issue_id(house.site.id, "SEO-PRF-001"), rule_id="SEO-PRF-001")
    after = structs.replace(book, issues=[slow, site_issue], version=2)
    commit([issues.put_state(house.site.id, after, replaces=1)])
    body = api.post(_path(house, "SEO-PRF-001") + "/recheck").json
    assert body["note"].startswith("The recheck starts after the pages have been tested again")
    assert api.get(body["poll"].partition("/api/v1")[2]).json["status"] == "queued"
    (message,) = aws.messages("agentic")
    assert message["kind"] == "speed_recheck" and aws.messages("recheck") == []


def test_a_started_recheck_returns_the_address_of_its_progress(house: House, api: Client) -> None:
    seed.audited(house.site)
    received = api.post(_path(house, seed.PAGE_RULE.id) + "/recheck")
    body = received.json
    assert received.status == 200
    assert body["poll"] == received.headers["location"]
    followed = api.get(body["poll"].partition("/api/v1")[2]).json
    assert (followed["id"], followed["kind"]) == (body["crawlId"], "recheck")


def test_the_history_of_an_issue_is_newest_first(house: House, api: Client) -> None:
    seed.audited(house.site)
    issue_id = ids.issue_id(house.site.id, seed.PAGE_RULE.id)
    operations.ignore(OPERATOR, house.site.id, issue_id, "<b>On purpose</b>")
    path = _path(house, seed.PAGE_RULE.id) + "/history"
    told = api.get(path).json
    assert (told["issueId"], told["total"], told["nextOffset"], told["truncated"]) == (issue_id, 2, None, False)
    ignored, found = told["events"]
    assert (ignored["kind"], ignored["by"], ignored["reason"]) == ("ignored", None, "<b>On purpose</b>")
    assert (found["kind"], found["pages"], found["crawlId"]) == ("found", 2, seed.BEFORE)
    assert (found["checked"], found["batchId"], found["reason"]) == (None, None, None)
    first = api.get(path + "?limit=1").json
    assert [event["kind"] for event in first["events"]] == ["ignored"] and first["nextOffset"] == 1
    assert [event["kind"] for event in api.get(path + "?limit=1&offset=1").json["events"]] == ["found"]
    assert api.get(path + "?offset=9").json["events"] == []
    assert api.get(_path(house, seed.SITE_RULE.id) + "/history").json["events"] == [], "it is older than the log"


def test_an_approval_is_listed_in_the_issue_history_with_its_batch(house: House, api: Client) -> None:
    seed.audited(house.site)
    seed.connected(house.site)
    action = _path(house, seed.PAGE_RULE.id).replace("issues", "actions") + "/apply"
    applied = api.post(action, {"changes": [{"url": seed.url(house.site, 0), "value": "Hiking boots"}]}).json
    changed = api.get(_path(house, seed.PAGE_RULE.id) + "/history").json["events"][0]
    assert (changed["kind"], changed["batchId"], changed["pages"]) == ("changed", applied["batchId"], 1)
    assert changed["by"] == house.person_id


def test_a_resolved_issue_shows_when_it_was_resolved(house: House, api: Client) -> None:
    seed.audited(house.site)
    book = issues.load_state(house.site.id)
    assert book is not None
    for status, told in (("resolved", "1970-01-01T00:01:30Z"), ("reopened", None)):
        moved = structs.replace(book.issues[0], status=status, resolved_at=90.0)
        commit([issues.put_state(house.site.id, book.with_issue(moved), replaces=book.version)])
        book = book.with_issue(moved)
        listed = api.get(f"/sites/{house.site.id}/issues?status={status}").json["issues"]
        of_page = next(one for one in listed if one["ruleId"] == seed.PAGE_RULE.id)
        assert of_page["resolvedAt"] == api.get(_path(house, seed.PAGE_RULE.id)).json["resolvedAt"] == told
