"""Lists the findings of a stored audit, for all formats of its report."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple
from urllib.parse import quote

from chalicelib.api.rule_texts import rule_of
from chalicelib.domain.audit.findings import Finding, findings
from chalicelib.domain.audit.kept import KeptAudit, KeptPage
from chalicelib.operations import gates
from chalicelib.rules.model import Rule

# The limits of readers of SARIF and JUnit: code scanning 25,000 results, GitLab 250,000 elements.
MOST_FINDINGS: Final = 25_000
MOST_CHARACTERS: Final = 5_000_000  # of the addresses of these findings
_OF_ADDRESSES: Final = ":/?#@!$&'()*+,;=-._~%"  # left unescaped; all others might be markup for readers


class Listed(NamedTuple):
    """A finding with its rule's texts."""

    finding: Finding
    rule: Rule


class Report(NamedTuple):
    """The data that a report is made from. ``pages``: None if the audit's pages are no longer stored."""

    host: str
    audit: KeptAudit
    pages: Sequence[KeptPage] | None

    def every(self) -> Iterator[Listed]:
        """Yield all findings, the most severe first. Findings of removed rules are left out."""
        for finding in findings(self.audit, self.pages, gates.order()):
            rule = rule_of(finding.issue.rule_id)
            if rule is not None:
                yield Listed(finding, rule)

    def bounded(self, *, with_ignored: bool) -> tuple[list[Listed], int]:
        """Return the findings that fit into a file for a pipeline, and the number of findings that do not fit."""
        shown: list[Listed] = []
        room, more = MOST_CHARACTERS, 0
        for one in self.every():
            if one.finding.issue.status == "ignored" and not with_ignored:
                continue
            room -= 0 if one.finding.page is None else len(one.finding.page.url)
            if more or room < 0 or len(shown) == MOST_FINDINGS:
                more += 1
            else:
                shown.append(one)
        return shown, more


def address(url: str) -> str:
    """Escape the characters of an address that have a meaning in Markdown or XML."""
    return quote(url, safe=_OF_ADDRESSES)


def where(host: str, finding: Finding) -> str:
    """Return the address of a finding's page. Returns the host and the number of pages if the finding is about the
    whole website."""
    if finding.page is not None:
        return address(finding.page.url)
    count = finding.issue.affected_pages
    return host if count <= 1 else f"{host} ({count:,} pages)"
