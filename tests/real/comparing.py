"""What the service reports beside what was counted again: precision and recall of each rule over all websites.

``python -m tests.real.comparing [--small] [--docs] [NAME …]`` prints the tables, and addresses on which the two differ;
``--docs`` writes the tables into docs/real-websites.md.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tests.real.counted import JUDGED, PAGES, SITES
from tests.real.reading import Website
from tests.real.reports import Report
from tests.real.runs import run_website
from tests.real.websites import WEBSITES

DOCUMENT = Path(__file__).resolve().parent.parent.parent / "docs" / "real-websites.md"
LEAST_PRECISION = 0.99
LEAST_RECALL = 0.97
# Targets are asked for while time lasts, so a few of a large website may stay unknown.
RECALL_OF: dict[str, float] = {"SEO-LNK-001": 0.95}
# What images answer. An audit of many images says that it did not ask for all; there only what it reports is compared.
OF_IMAGES = frozenset({"SEO-IMG-004", "SEO-IMG-005"})
SHOWN = 5


@dataclass(slots=True)
class Tally:
    """How often both say that a rule fires, or only one of them; ``only_*`` keeps (website, address)."""

    both: int = 0
    websites: int = 0  # on which at least one of them says so
    only_service: list[tuple[str, str]] = field(default_factory=list)
    only_counted: list[tuple[str, str]] = field(default_factory=list)

    def add(self, name: str, reported: set[str], counted: set[str]) -> None:
        self.both += len(reported & counted)
        self.websites += bool(reported or counted)
        self.only_service += [(name, url) for url in sorted(reported - counted)]
        self.only_counted += [(name, url) for url in sorted(counted - reported)]

    @property
    def precision(self) -> float | None:
        """Of what the service reports, the part that is so; None where it reports nothing."""
        reported = self.both + len(self.only_service)
        return self.both / reported if reported else None

    @property
    def recall(self) -> float | None:
        """Of what is so, the part that the service reports; None where nothing is."""
        true = self.both + len(self.only_counted)
        return self.both / true if true else None


class Comparison:
    """Tallies by rule, filled website by website."""

    def __init__(self) -> None:
        self.tallies: dict[str, Tally] = defaultdict(Tally)
        self.pages: dict[str, int] = {}
        self.scores: dict[str, float] = {}
        self.first: dict[str, list[str]] = {}  # the rules of each website's first actions
        self.judged: dict[str, int] = defaultdict(int)  # findings of rules that are no matter of counting
        self.unknown: set[str] = set()  # rules that fire and are neither counted nor known as judged

    def add(self, report: Report, website: Website) -> None:
        self.pages[report.name] = len(website.pages)
        self.scores[report.name] = report.score["site"]
        self.first[report.name] = [action["ruleId"] for action in report.actions]
        partly = OF_IMAGES if report.images_not_asked() else frozenset()
        for rule, count in PAGES.items():
            reported, counted = report.affected(rule), count(website)
            self.tallies[rule].add(report.name, reported, counted & reported if rule in partly else counted)
        for rule, fires in SITES.items():
            fired = {"the website"} if report.fires(rule) else set()
            self.tallies[rule].add(report.name, fired, {"the website"} if fires(website) else set())
        for finding in report.findings:
            if finding.rule in JUDGED:
                self.judged[finding.rule] += 1
            elif finding.rule not in PAGES and finding.rule not in SITES:
                self.unknown.add(finding.rule)

    def below(self) -> list[str]:
        """Each rule that does not reach its floor, in words."""
        found = []
        for rule, tally in sorted(self.tallies.items()):
            if tally.precision is not None and tally.precision < LEAST_PRECISION:
                found.append(f"{rule}: precision {tally.precision:.3f}, only the service: {tally.only_service[:SHOWN]}")
            if tally.recall is not None and tally.recall < RECALL_OF.get(rule, LEAST_RECALL):
                found.append(f"{rule}: recall {tally.recall:.3f}, only counted: {tally.only_counted[:SHOWN]}")
        return found

    def audits(self) -> str:
        """The websites with their score and first actions, as a Markdown table."""
        lines = ["| Website | Make | Pages read | Score | First actions |", "|---|---|---|---|---|"]
        for listed in WEBSITES:
            if listed.name in self.pages:
                first = ", ".join(rule[4:] for rule in self.first[listed.name])
                count, score = self.pages[listed.name], self.scores[listed.name]
                lines.append(f"| {listed.name} | {listed.make} | {count} | {score} | {first} |")
        return "\n".join(lines)

    def table(self) -> str:
        """Rules that fire anywhere: a Markdown table of those that differ, and a line of those that do not."""
        lines = [
            f"{sum(self.pages.values()):,} pages of {len(self.pages)} websites",
            "",
            "| Rule | Websites | Pages counted | Pages reported | Precision | Recall |",
            "|---|---|---|---|---|---|",
        ]
        equal, silent = [], []
        for rule, tally in sorted(self.tallies.items()):
            if not tally.websites:
                silent.append(rule[4:])
            elif not tally.only_service and not tally.only_counted:
                equal.append(f"{rule[4:]} ({tally.both:,})")
            else:
                true, reported = tally.both + len(tally.only_counted), tally.both + len(tally.only_service)
                precision, recall = _share(tally.precision), _share(tally.recall)
                lines.append(f"| {rule[4:]} | {tally.websites} | {true:,} | {reported:,} | {precision} | {recall} |")
        judged = [f"{rule[4:]} ({count})" for rule, count in sorted(self.judged.items())]
        for title, listed in (
            ("Rules with precision and recall 1.000 (and the pages that they report)", equal),
            ("Rules that report no page, rightly", silent),
            ("Rules that need a person's judgement (and their findings)", judged),
        ):
            lines += ["", f"{title}: {', '.join(listed) or 'none'}."]
        return "\n".join(lines)

    def differences(self) -> str:
        """Addresses on which the two differ, a few of each rule."""
        lines = []
        for rule, tally in sorted(self.tallies.items()):
            for which, found in (("service", tally.only_service), ("counted", tally.only_counted)):
                by_website: dict[str, list[str]] = defaultdict(list)
                for name, url in found:
                    by_website[name].append(url)
                for name, urls in by_website.items():
                    lines.append(f"{rule} only {which}, {name}, {len(urls)}: {' '.join(urls[:SHOWN])}")
        return "\n".join(lines)


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def compared(names: Iterable[str], *, small: bool, said: Callable[[str], object] | None = None) -> Comparison:
    """The comparison over the websites named; ``said`` is told of each that is done."""
    comparison = Comparison()
    for listed in WEBSITES:
        if listed.name in names:
            with run_website(listed, small=small) as (report, website):
                comparison.add(report, website)
            if said is not None:
                said(f"{listed.name}: {comparison.pages[listed.name]} pages")
    return comparison


def write_into(page: Path, tables: dict[str, str]) -> None:
    """Put each table between its two marks, ``<!-- name -->`` and ``<!-- end of name -->``."""
    text = page.read_text(encoding="utf-8")
    for name, table in tables.items():
        before, start, rest = text.partition(f"<!-- {name} -->")
        _, end, after = rest.partition(f"<!-- end of {name} -->")
        assert start and end, f"{page} has no place for {name}"
        text = f"{before}{start}\n\n{table}\n\n{end}{after}"
    page.write_text(text, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.real.comparing")
    parser.add_argument("names", nargs="*", help="websites; without any: all")
    parser.add_argument("--small", action="store_true", help="the small set and its page budgets")
    parser.add_argument("--docs", action="store_true", help="write the tables into docs/real-websites.md")
    options = parser.parse_args()
    every = [listed.name for listed in WEBSITES if listed.small or not options.small]
    comparison = compared(options.names or every, small=options.small, said=lambda line: sys.stderr.write(line + "\n"))
    sys.stdout.write(f"{comparison.audits()}\n\n{comparison.table()}\n\n{comparison.differences()}\n")
    if options.docs:
        write_into(DOCUMENT, {"websites": comparison.audits(), "precision and recall": comparison.table()})
    return 1 if comparison.below() else 0


if __name__ == "__main__":
    sys.exit(main())
