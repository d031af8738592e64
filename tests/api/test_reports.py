"""Reports of a kept audit and the gate through the API: what they hold, to whom, and what readers make of them.

SARIF is checked by what code scanning asks of a file, JUnit by the ways in which GitLab and Jenkins read one.
"""

import json
import re
from collections import Counter
from typing import Any
from urllib.request import urlopen
from xml.etree import ElementTree

import msgspec
import pytest
from lxml import etree

from chalicelib import clock
from chalicelib.api.reports import findings as report_findings
from chalicelib.api.reports import markdown, sarif
from chalicelib.domain import ids
from chalicelib.domain.audit.issues import RuleCount
from chalicelib.domain.audit.kept import HEADER_SECONDS, PAGES_SECONDS, KeptIssue, KeptPage
from chalicelib.domain.audit.summary import ScoreEntry
from chalicelib.rules import registry
from chalicelib.store import crawls, kept_audits
from chalicelib.store.transactions import commit
from local import embedded
from tests.api import largest, seed
from tests.api.client import Client
from tests.api.conftest import House
from tests.api.files import cells_of

TITLE, SITEMAP, LOW = seed.PAGE_RULE.id, seed.SITE_RULE.id, "SEO-ONP-004"
ODD = (
    "?q=a|b&c=[x](javascript:alert(1))",
    "`code`",
    "<script>",
    "%3Cb%3E",
    "x;y",
    "'quoted\"",
    "=cmd()",
    "a{0}b",
    "//twice",
)


def keep(house: House, audit_id: str = seed.AUDIT, *, open_rules: tuple[str, ...] = (TITLE,), **members: Any) -> None:
    """Keep an audit of the home page and of pages with odd addresses, all of which show the rule of titles."""
    site = house.site
    urls = [site.url, *(f"{site.url}{odd}" for odd in ODD)]
    pages = [KeptPage(ids.page_id(site.id, url), url, True, 200, rules=[TITLE]) for url in urls]
    issues = [KeptIssue(ids.issue_id(site.id, rule), rule, "open", len(urls), True) for rule in open_rules]
    counts = {rule: RuleCount(9, 0) for rule in (TITLE, SITEMAP, LOW)}
    written, partitions = kept_audits.pages_writes(site.id, audit_id, pages, clock.now() + PAGES_SECONDS)
    for write in written:
        commit([write])
    seed.keep(site, audit_id, [], 0, **{"issues": issues, "counts": counts, "partitions": partitions, **members})
    for write in written:
        commit([write])
    commit([crawls.put_new(seed.header(site, audit_id))])


def path(house: House, what: str, audit_id: str = seed.AUDIT) -> str:
    return f"/sites/{house.site.id}/audits/{audit_id}/{what}"


def issue(house: House, rule: str, status: Any = "open", pages: int = 0) -> KeptIssue:
    return KeptIssue(ids.issue_id(house.site.id, rule), rule, status, pages, True)


def check_sarif(text: str) -> list[dict[str, Any]]:
    """Assert what code scanning asks of a file, and give its results."""
    told = json.loads(text)
    assert told["version"] == "2.1.0" and len(told["runs"]) == 1 and len(text.encode()) < 100_000_000
    (run,) = told["runs"]
    category, _, one = run["automationDetails"]["id"].rpartition("/")
    assert category == "website-audit/acme.example" and one
    rules = run["tool"]["driver"]["rules"]
    for rule in rules:
        assert rule["defaultConfiguration"]["level"] in ("error", "warning", "note")
        assert rule["properties"]["precision"] in ("very-high", "high", "medium", "low")
        assert "security-severity" not in rule["properties"]
        assert all(rule[member]["text"] for member in ("shortDescription", "fullDescription", "help"))
    assert len(run["results"]) <= 25_000
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        (location,) = result["locations"]
        uri = location["physicalLocation"]["artifactLocation"]["uri"]
        assert re.fullmatch(r"(?:[A-Za-z0-9/!$&'()*+,;=\-._~@]|%[0-9A-F]{2})+", uri), uri
        assert uri.startswith("acme.example/"), "no scheme, and none that a port could be taken for"
        assert location["physicalLocation"]["region"] == {"startLine": 1}
        assert re.fullmatch(r"find_[0-9A-Z]{26}:1", result["partialFingerprints"]["primaryLocationLineHash"])
        assert not re.search(r"[\[\]{}]", result["message"]["text"]), "a link or a placeholder"
    prints = Counter(one["partialFingerprints"]["primaryLocationLineHash"] for one in run["results"])
    assert set(prints.values()) <= {1}
    results: list[dict[str, Any]] = run["results"]
    return results


def cases_of_gitlab(text: str) -> dict[tuple[str, str], str]:
    """Status by class and name, as GitLab has it: a second case of the same name is dropped."""
    root = ElementTree.fromstring(text)
    found: dict[tuple[str, str], str] = {}
    for case in root.iter("testcase"):
        status = next((child.tag for child in case if child.tag in ("failure", "error", "skipped")), "success")
        found.setdefault((case.attrib["classname"], case.attrib["name"]), status)
    return found


def cases_of_jenkins(text: str) -> list[tuple[str, str, str, str]]:
    """Package, class, name and status of each case, as Jenkins has them; the counts of suites must be true."""
    root = etree.fromstring(text.encode(), etree.XMLParser(resolve_entities=False, no_network=True))
    found = []
    for suite in root.findall("testsuite"):
        cases = suite.findall("testcase")
        assert int(suite.get("tests")) == len(cases)
        for tag in ("failure", "skipped"):
            named = suite.get("failures" if tag == "failure" else "skipped")
            assert int(named) == sum(case.find(tag) is not None for case in cases)
        for case in cases:
            package, _, name = case.get("classname").rpartition(".")
            assert len(case) <= 1, "a failure or an error, not both"
            found.append((package, name, case.get("name"), case[0].tag if len(case) else "success"))
    assert int(root.get("tests")) == len(found)
    return found


def test_every_format_contains_the_same_findings(house: House, api: Client) -> None:
    keep(house, open_rules=(TITLE, SITEMAP))
    told = api.get(path(house, "report")).json
    urls = [one["url"] for one in told["findings"] if one["ruleId"] == TITLE]
    assert told["total"] == len(told["findings"]) == len(urls) + 1 == len(ODD) + 2 and told["pagesKept"] is True
    (site,) = (one for one in told["findings"] if one["ruleId"] == SITEMAP)
    assert (site["pageId"], site["url"]) == (None, None)
    results = check_sarif(api.get(path(house, "report?format=sarif")).text)
    assert Counter(one["ruleId"] for one in results) == {TITLE: len(urls), SITEMAP: 1}
    prints = {one["partialFingerprints"]["primaryLocationLineHash"].removesuffix(":1") for one in results}
    assert prints == {one["fingerprint"] for one in told["findings"]}
    junit = api.get(path(house, "report?format=junit"))
    assert junit.headers["content-type"] == "application/xml; charset=utf-8"
    gitlab, jenkins = cases_of_gitlab(junit.text), cases_of_jenkins(junit.text)
    assert len(gitlab) == len(jenkins) == len(told["findings"]) + 1
    assert {(name, case): status for _, name, case, status in jenkins} == gitlab
    assert gitlab[LOW, "acme.example"] == "success" and Counter(gitlab.values())["failure"] == len(told["findings"])
    rows = cells_of(api.get(path(house, "report?format=csv")))
    assert [row["fingerprint"] for row in rows] == [one["fingerprint"] for one in told["findings"]]
    text = api.get(path(house, "report?format=markdown")).text
    assert "### Title missing or empty" in text and "Open issues: " in text


def test_addresses_are_escaped_in_every_report_format(house: House, api: Client) -> None:
    keep(house)
    text = api.get(path(house, "report?format=markdown")).text
    assert "<script>" not in text and "](javascript" not in text
    quoted = re.findall(r"^- `([^`]*)`$", text, re.MULTILINE)
    assert len(quoted) == markdown.PAGES_SHOWN == len(ODD) + 1
    for form in ("junit", "sarif"):
        assert "<script>" not in api.get(path(house, f"report?format={form}")).text
    assert sarif.artifact("https://acme.example:8443/a?b=c") == "acme.example%3A8443/a%3Fb=c"
    assert sarif.artifact("https://[::1]:80/") == "%5B::1%5D:80/".replace(":", "%3A")


def test_ignored_findings_are_marked_ignored_or_left_out(house: House, api: Client) -> None:
    keep(house, issues=[issue(house, TITLE, "ignored", 3), issue(house, SITEMAP, "resolved")])
    assert {one["status"] for one in api.get(path(house, "report")).json["findings"]} == {"ignored"}
    assert check_sarif(api.get(path(house, "report?format=sarif")).text) == []
    assert set(cases_of_gitlab(api.get(path(house, "report?format=junit")).text).values()) == {"skipped", "success"}
    assert "Ignored: 1." in api.get(path(house, "report?format=markdown")).text


def test_a_report_without_findings_is_still_a_valid_document(house: House, api: Client) -> None:
    keep(house, issues=[])
    assert api.get(path(house, "report")).json["findings"] == []
    assert check_sarif(api.get(path(house, "report?format=sarif")).text) == []
    assert set(cases_of_gitlab(api.get(path(house, "report?format=junit")).text).values()) == {"success"}
    assert "Open issues: 0 critical, 0 high, 0 medium, 0 low." in api.get(path(house, "report?format=markdown")).text


def test_each_issue_is_one_finding_after_page_data_is_deleted(house: House, api: Client) -> None:
    keep(house, open_rules=(TITLE, SITEMAP))
    clock.set_offset(clock.offset() + PAGES_SECONDS + 60)
    told = api.get(path(house, "report")).json
    assert (told["pagesKept"], told["total"]) == (False, 2)
    assert {one["url"] for one in told["findings"]} == {None}
    assert len(check_sarif(api.get(path(house, "report?format=sarif")).text)) == 2
    names = {name for _, name in cases_of_gitlab(api.get(path(house, "report?format=junit")).text)}
    assert f"acme.example ({len(ODD) + 1} pages)" in names
    clock.set_offset(clock.offset() + HEADER_SECONDS + 60)
    assert api.get(path(house, "report")).code == "not_kept"


def test_the_markdown_report_counts_a_single_page_in_the_singular(house: House, api: Client) -> None:
    keep(house, issues=[issue(house, TITLE, pages=1)])
    clock.set_offset(clock.offset() + PAGES_SECONDS + 60)
    assert f"`{TITLE}`, high, 1 page. " in api.get(path(house, "report?format=markdown")).text


@pytest.mark.parametrize("form", ["sarif", "junit", "markdown", "csv"])
def test_a_report_too_large_for_an_answer_is_a_redirect_to_a_download(
    house: House, bucket: embedded.Endpoint, form: str
) -> None:
    received = Client(house.key).get(f"{largest.audit_report(house)}?format={form}")
    if form == "markdown":
        assert received.status == 200 and len(received.text) < markdown.LONGEST + 10_000
        assert "more issues left out here." in received.text
        return
    assert received.status == 303
    with urlopen(received.headers["location"], timeout=60) as file:
        text = file.read().decode()
    if form == "sarif":
        results = check_sarif(text)
        said = json.loads(text)["runs"][0]["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]
        assert said.startswith(f"{largest.REPORTED * len(registry.RULES) - len(results):,} more findings")
        ranks = [rank(one["ruleId"]) for one in results]
        assert ranks == sorted(ranks), "the most severe first"
    elif form == "junit":
        assert cases_of_jenkins(text)[-1][1:] == ("left out", "findings", "skipped")


def rank(rule_id: str) -> int:
    return ["critical", "high", "medium", "low"].index(registry.BY_ID[rule_id].severity)


def test_a_report_can_hold_10000_findings(house: House, bucket: embedded.Endpoint) -> None:
    site = house.site
    seed.keep(site, seed.AUDIT, seed.rows(site, 10_000), 10_000)
    received = Client(house.key).get(path(house, "report?format=sarif"))
    text = received.text
    if received.status == 303:
        with urlopen(received.headers["location"], timeout=60) as file:
            text = file.read().decode()
    assert len(check_sarif(text)) == 10_000
    body = Client(house.key).get(path(house, "report?offset=9999")).json
    assert (len(body["findings"]), body["nextOffset"], body["total"]) == (1, None, 10_000)


def test_sarif_and_junit_reports_are_cut_at_the_limit_of_findings(
    house: House, api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(house)
    monkeypatch.setattr(report_findings, "MOST_FINDINGS", 3)
    assert len(check_sarif(api.get(path(house, "report?format=sarif")).text)) == 3
    assert Counter(cases_of_gitlab(api.get(path(house, "report?format=junit")).text).values())["failure"] == 3


# -- the gate ------------------------------------------------------------------------------------------


def gate(api: Client, house: House, asked: str = "", audit_id: str = seed.AUDIT) -> Any:
    return api.get(path(house, f"gate?{asked}", audit_id)).json


def test_the_gate_result_lists_new_findings_and_lost_points(house: House, api: Client) -> None:
    keep(house, seed.BEFORE, issues=[], score=ScoreEntry(900, 900, None, "1", clock.now(), seed.BEFORE))
    keep(house, open_rules=(TITLE, SITEMAP))
    seen = gate(api, house, "min_score=80&no_new=low&max_loss=1.5")
    assert seen["outcome"] == "fail" and seen["status"] == "done"
    assert {one["condition"]: one["outcome"] for one in seen["conditions"]} == {
        "min_score": "pass",
        "no_new": "fail",
        "max_loss": "fail",
    }
    assert (seen["audit"]["auditId"], seen["against"]["auditId"]) == (seed.AUDIT, seed.BEFORE)
    assert {one["ruleId"]: one["pages"] for one in seen["new"]} == {SITEMAP: None}, "the same pages list the other"
    text = api.get(path(house, "gate?no_new=low&max_loss=1.5&format=text"))
    assert text.headers["content-type"] == "text/plain; charset=utf-8"
    lines = text.text.splitlines()
    assert lines[:2] == ["fail", "status: done"] and lines[2].startswith("no_new: fail. 1 new finding of 1 rule")
    assert gate(api, house, f"max_loss=8.6&against={seed.BEFORE}")["outcome"] == "pass"
    assert gate(api, house, f"against={seed.AUDIT}")["outcome"] == "pass"


def test_without_parameters_the_gate_checks_for_new_findings(house: House, api: Client) -> None:
    keep(house)
    seen = gate(api, house)
    assert [(one["condition"], one["outcome"]) for one in seen["conditions"]] == [("no_new", "unclear")]
    assert "No audit before this one is stored" in seen["conditions"][0]["reason"]


@pytest.mark.parametrize(
    ("status", "error", "said"),
    [
        ("queued", None, "The audit is queued. Send the request again when it has ended."),
        ("running", None, "The audit is running. Send the request again when it has ended."),
        ("failed", "The website does not answer.", "The audit failed. The website does not answer."),
        ("cancelled", None, "The audit was cancelled before it could judge the website."),
        ("done", None, "The audit read nothing that it could judge."),
    ],
)
def test_the_gate_result_of_an_unfinished_or_failed_audit_is_unclear(
    house: House, api: Client, status: str, error: str | None, said: str
) -> None:
    ended = None if status in ("queued", "running") else clock.now()
    commit([crawls.put_new(seed.header(house.site, status=status, error=error, finished_at=ended))])
    seen = gate(api, house)
    assert (seen["outcome"], seen["status"], seen["audit"]) == ("unclear", status, None)
    assert seen["conditions"] == [{"condition": "audit", "outcome": "unclear", "reason": said}]
    assert api.get(path(house, "report")).code == "not_kept"


def test_a_website_with_only_a_recheck_has_no_audit_that_the_gate_could_judge(house: House, api: Client) -> None:
    commit([crawls.put_new(seed.header(house.site, kind="recheck", status="failed"))])
    assert api.get(path(house, "gate")).code == "not_found"


@pytest.mark.parametrize("wrong", ["-1", "101", "100.5", "1e1", "5.55", "NaN", "", " 5", "٣"])
def test_a_min_score_in_an_unusual_number_format_is_refused(house: House, api: Client, wrong: str) -> None:
    keep(house)
    assert api.get(path(house, "gate") + f"?min_score={wrong}".replace(" ", "%20")).code == "bad_min_score"


def test_parts_of_a_gate_result_are_visible_only_with_the_scopes_that_they_need(house: House) -> None:
    keep(house, seed.BEFORE, issues=[])
    keep(house, open_rules=(TITLE, SITEMAP))
    alone = Client(house.new_key("sites:read"))
    seen = gate(alone, house, "min_score=1&max_loss=99")
    assert seen["outcome"] == "pass" and not {"new", "losses", "rulesLeftOut", "ignored"} & seen.keys()
    for asked in ("", "no_new=high", "no_new=low&min_score=1"):
        refused = alone.get(path(house, f"gate?{asked}")).json["error"]
        assert (refused["code"], refused["scope"]) == ("missing_scope", "issues:read")
    seen = gate(Client(house.new_key("sites:read", "issues:read")), house, "no_new=low")
    assert seen["new"] and house.site.url not in json.dumps(seen["new"])
    for scopes, missing in ((("issues:read",), "pages:read"), (("pages:read",), "issues:read")):
        refused = Client(house.new_key("sites:read", *scopes)).get(path(house, "report")).json["error"]
        assert (refused["code"], refused["scope"]) == ("missing_scope", missing)


def test_the_gate_result_is_unclear_after_page_data_is_deleted(house: House, api: Client) -> None:
    keep(house, seed.BEFORE)
    keep(house)
    clock.set_offset(clock.offset() + PAGES_SECONDS + 60)
    seen = gate(api, house)
    assert (seen["outcome"], seen["pagesCompared"]) == ("unclear", None)
    assert "not stored" in seen["conditions"][0]["reason"]
    keep(house, "crawl_Z", issues=[msgspec.structs.replace(issue(house, TITLE, "reopened"), affected_pages=4)])
    assert gate(api, house, "", "crawl_Z")["outcome"] == "unclear"


def test_the_junit_report_is_well_formed_xml(house: House, api: Client) -> None:
    keep(house)
    text = api.get(path(house, "report?format=junit")).text
    assert len(list(ElementTree.fromstring(text).iter("testcase"))) == len(cases_of_gitlab(text))
