"""What an audit says, read over the API, in a form that can be written down: pages, findings, suggestions, actions."""

from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import urlsplit

from tests.real.service import Audited

PAGES_A_CALL = 200
SUGGESTIONS_A_CALL = 100
TOP_ACTIONS = 3


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that fires on the page at ``url``, or with None on the website as a whole."""

    rule: str
    url: str | None
    title: str
    evidence: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What is said about the value of one field: what the API's entry holds, with the rule it belongs to."""

    rule: str
    field: str
    url: str
    entry: dict[str, Any]

    @property
    def suggested(self) -> str | None:
        value: str | None = self.entry["suggested"]
        return value


@dataclass(slots=True)
class Report:
    """A website's audit. ``home`` is the address it was audited from; ``actions`` are the first three."""

    name: str
    home: str
    audit: dict[str, Any]
    score: dict[str, Any]
    pages: list[dict[str, Any]]
    findings: list[Finding] = field(default_factory=list)
    suggestions: list[Suggestion] = field(default_factory=list)
    actions: list[dict[str, Any]] = field(default_factory=list)

    @property
    def base(self) -> str:
        """The website's scheme and host, without a slash at its end."""
        parts = urlsplit(self.home)
        return f"{parts.scheme}://{parts.netloc}"

    def images_not_asked(self) -> bool:
        """Whether the audit says that it did not request all images."""
        return any(" not requested" in note and "SEO-IMG-004" in note for note in self.audit["notes"])

    def read(self) -> list[str]:
        """The addresses that the audit read; of others it knows what they answer at most."""
        return [page["url"] for page in self.pages if page["lastCrawled"] is not None]

    def affected(self, rule: str) -> set[str]:
        """The addresses on which the rule fires."""
        return {finding.url for finding in self.findings if finding.rule == rule and finding.url is not None}

    def fires(self, rule: str) -> bool:
        return any(finding.rule == rule for finding in self.findings)

    def plain(self) -> dict[str, Any]:
        return asdict(self)


def report_of(name: str, home: str, audited: Audited) -> Report:
    """Everything that the service says about the website."""
    report = Report(name, home, audited.audit, audited.get("")["score"], _pages(audited))
    rules: dict[str, str] = {}
    for listed in audited.get("/issues")["issues"]:
        rules[listed["id"]] = listed["ruleId"]
        _read_issue(audited, listed["id"], report)
    for action in audited.get(f"/actions?limit={TOP_ACTIONS}")["actions"]:
        report.actions.append({**action, "ruleId": rules.get(action["issueId"])})
    return report


def _pages(audited: Audited) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    number = 1
    while True:
        answer = audited.get(f"/pages?per={PAGES_A_CALL}&page={number}")
        found += answer["pages"]
        if not answer["hasMore"]:
            return found
        number += 1


def _read_issue(audited: Audited, issue_id: str, report: Report) -> None:
    detail = audited.get(f"/issues/{issue_id}")
    rule, title = detail["ruleId"], detail["title"]
    assert not detail["pagesTruncated"], f"{rule} lists more pages than one answer holds: take a smaller budget"
    whole = [page["evidence"] for page in detail["pages"]] == [detail["evidence"]]  # a fault of the website
    if whole:
        report.findings.append(Finding(rule, None, title, detail["evidence"]))
    else:
        report.findings += [Finding(rule, page["url"], title, page["evidence"]) for page in detail["pages"]]
    offset: int | None = 0
    while offset is not None and "suggestions" in detail:
        for entry in detail["suggestions"]:
            report.suggestions.append(Suggestion(rule, detail["writableField"], entry["url"], entry))
        offset = detail["suggestionsNextOffset"]
        if offset is not None:
            detail = audited.get(f"/issues/{issue_id}?suggestionsOffset={offset}&suggestionsLimit={SUGGESTIONS_A_CALL}")
