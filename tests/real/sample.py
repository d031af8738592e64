"""Draws findings and suggestions of all websites for reading by hand.

``python -m tests.real.sample --seed N --out FOLDER [--findings 200] [--suggestions 100] [NAME …]`` audits the websites
(all but those kept apart, or those named) that are not in FOLDER yet, draws by the seed, and writes ``findings.jsonl``,
``suggestions.jsonl`` and ``actions.jsonl`` there: each line with its address, what the service says, and the part of
the page's HTML that it speaks of. ``reports`` and ``pages`` hold everything the draw was made from.
"""

import argparse
import json
import random
import re
import sys
import zipfile
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from html import unescape
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import pytest

from tests.real.reading import Website
from tests.real.reports import Finding, Report, Suggestion
from tests.real.runs import run_website
from tests.real.websites import APART, WEBSITES

AROUND = 220  # characters of HTML shown on both sides of what a finding speaks of
MOST_PLACES = 6
MOST_A_RULE_AND_WEBSITE = 3
MOST_TEXT = 1_200
SHORTEST_SOUGHT = 3
# Of the suggestions: titles and descriptions in equal parts, and this share of all other fields.
OTHER_FIELDS = 0.1
# Where no other host's name can be resolved, nothing can be said of links to them.
LEFT_OUT = frozenset({"SEO-LNK-008"})

Item = TypeVar("Item")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.real.sample")
    parser.add_argument("names", nargs="*", help="websites; without any: all")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--findings", type=int, default=200)
    parser.add_argument("--suggestions", type=int, default=100)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    say(f"seed {options.seed}")
    for folder in ("reports", "pages"):
        (options.out / folder).mkdir(parents=True, exist_ok=True)
    collect(options.out, options.names)
    draw(options.out, options.seed, options.findings, options.suggestions, options.names)
    return 0


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def collect(out: Path, names: Sequence[str]) -> None:
    """Audit each website that is not in ``out`` yet; one that cannot be had is said and left out."""
    for listed in (*WEBSITES, *(one for one in APART if one.name in names)):
        if (names and listed.name not in names) or (out / "reports" / f"{listed.name}.json").exists():
            continue
        try:
            with run_website(listed) as (report, website):
                keep(out, report, website)
        except (pytest.skip.Exception, pytest.fail.Exception) as reason:
            say(f"{listed.name}: left out, {reason}")


def keep(out: Path, report: Report, website: Website) -> None:
    with zipfile.ZipFile(out / "pages" / f"{report.name}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for url, page in website.pages.items():
            archive.writestr(url, page.text.encode("utf-8", "replace"))
    file = out / "reports" / f"{report.name}.json"
    file.write_text(json.dumps(report.plain(), ensure_ascii=False), encoding="utf-8")
    say(f"{report.name}: {len(website.pages)} pages, {len(report.findings)} findings, score {report.score['site']}")


def draw(out: Path, seed: int, findings: int, suggestions: int, names: Sequence[str]) -> None:
    """Write the drawn findings and suggestions, and each website's first actions."""
    chance = random.Random(seed)
    reports = [_loaded(file) for file in sorted((out / "reports").glob("*.json"))]
    reports = [report for report in reports if not names or report.name in names]
    of_both: dict[tuple[str, str], list[tuple[Report, Finding]]] = defaultdict(list)
    for report in reports:
        for finding in report.findings:
            if finding.rule not in LEFT_OUT:
                of_both[finding.rule, report.name].append((report, finding))
    by_rule = [
        (*key, pair)
        for key, pairs in of_both.items()
        for pair in chance.sample(pairs, min(len(pairs), MOST_A_RULE_AND_WEBSITE))
    ]
    html = _Html(out)
    drawn = spread(by_rule, findings, chance)
    _write(out / "findings.jsonl", (_finding_line(report, finding, html) for report, finding in drawn))
    _write(
        out / "suggestions.jsonl",
        (_suggestion_line(*pair, html) for pair in _suggestions(reports, suggestions, chance)),
    )
    _write(
        out / "actions.jsonl",
        (
            {"website": report.name, "score": report.score["site"], "rank": action["rank"], "rule": action["ruleId"],
             "title": action["title"], "severity": action["severity"], "gain": action["estimatedScoreGain"],
             "action": action}
            for report in reports
            for action in report.actions
        ),
    )  # fmt: skip
    say(f"{len(drawn)} of {len(by_rule)} findings drawn, of {len({rule for rule, _, _ in by_rule})} rules")
    for name, (needed, given) in sorted(_needs(reports).items()):
        say(f"{name}: {given} of {needed} pages that need a value have a suggestion ({100 * given / needed:.0f}%)")


def spread(items: Iterable[tuple[Hashable, Hashable, Item]], count: int, chance: random.Random) -> list[Item]:
    """``count`` of the items, in turn from every first group, and in it from every second group, at random."""
    groups: dict[Hashable, dict[Hashable, list[Item]]] = defaultdict(lambda: defaultdict(list))
    for first, second, item in items:
        groups[first][second].append(item)
    turns = [_in_turn(groups[first], chance) for first in sorted(groups, key=str)]
    drawn: list[Item] = []
    while turns and len(drawn) < count:
        for turn in list(turns):
            item = next(turn, None)
            if item is None:
                turns.remove(turn)
            elif len(drawn) < count:
                drawn.append(item)
    return drawn


def _in_turn(groups: dict[Hashable, list[Item]], chance: random.Random) -> Iterator[Item]:
    names = sorted(groups, key=str)
    chance.shuffle(names)
    for name in names:
        chance.shuffle(groups[name])
    while any(groups.values()):
        for name in names:
            if groups[name]:
                yield groups[name].pop()


def _suggestions(reports: Sequence[Report], count: int, chance: random.Random) -> list[tuple[Report, Suggestion]]:
    kinds: dict[str, list[tuple[Hashable, Hashable, tuple[Report, Suggestion]]]] = defaultdict(list)
    seen: set[tuple[str, str, str]] = set()
    for report in reports:
        for entry in report.suggestions:
            key = (report.name, entry.field, entry.url)
            if entry.suggested is not None and key not in seen:
                seen.add(key)
                kind = entry.field if entry.field in ("title", "meta_description") else "other"
                kinds[kind].append((report.name, entry.rule, (report, entry)))
    others = spread(kinds["other"], round(count * OTHER_FIELDS), chance)
    titles = spread(kinds["title"], (count - len(others)) // 2, chance)
    return titles + spread(kinds["meta_description"], count - len(others) - len(titles), chance) + others


def _needs(reports: Sequence[Report]) -> dict[str, tuple[int, int]]:
    """By field: pages that need a value, and those that have one suggested."""
    needed: dict[str, dict[tuple[str, str], bool]] = defaultdict(dict)
    for report in reports:
        for entry in report.suggestions:
            page = (report.name, entry.url)
            needed[entry.field][page] = needed[entry.field].get(page, False) or entry.suggested is not None
    return {name: (len(pages), sum(pages.values())) for name, pages in needed.items()}


def _loaded(file: Path) -> Report:
    plain = json.loads(file.read_text(encoding="utf-8"))
    plain["findings"] = [Finding(**finding) for finding in plain["findings"]]
    plain["suggestions"] = [Suggestion(**suggestion) for suggestion in plain["suggestions"]]
    return Report(**plain)


def _write(file: Path, lines: Iterable[dict[str, Any]]) -> None:
    with file.open("w", encoding="utf-8") as out:
        for line in lines:
            out.write(json.dumps(line, ensure_ascii=False) + "\n")


class _Html:
    """The kept HTML of pages."""

    def __init__(self, out: Path) -> None:
        self._out = out
        self._open: dict[str, zipfile.ZipFile] = {}

    def of(self, website: str, url: str) -> str:
        """The page's HTML; empty where the address gave no page."""
        if website not in self._open:
            self._open[website] = zipfile.ZipFile(self._out / "pages" / f"{website}.zip")
        try:
            return self._open[website].read(url).decode()
        except KeyError:
            return ""


def _finding_line(report: Report, finding: Finding, html: _Html) -> dict[str, Any]:
    page = html.of(report.name, finding.url or report.home)
    return {
        "website": report.name,
        "url": finding.url or "the website",
        "rule": finding.rule,
        "title": finding.title,
        "says": finding.evidence.get("message"),
        "evidence": finding.evidence,
        "page": overview(page),
        "places": places(page, finding.evidence),
    }


def _suggestion_line(report: Report, suggestion: Suggestion, html: _Html) -> dict[str, Any]:
    return {
        "website": report.name,
        "url": suggestion.url,
        "rule": suggestion.rule,
        "field": suggestion.field,
        "current": suggestion.entry["current"],
        "suggested": suggestion.suggested,
        "entry": suggestion.entry,
        "page": overview(html.of(report.name, suggestion.url)),
    }


def overview(html: str) -> dict[str, Any]:
    """What a reader wants to know of every page: its head, its headings and the start of its text."""
    if not html:
        return {}
    tags = re.findall(r"<(?:html|meta|link rel=.canonical|base)\b[^>]{0,400}>", html[:100_000], re.IGNORECASE)
    titles = re.findall(r"<title[^>]*>.*?</title>", html[:100_000], re.IGNORECASE | re.DOTALL)
    headings = re.findall(r"<(h[1-3])\b[^>]*>(.*?)</\1>", html, re.IGNORECASE | re.DOTALL)
    return {
        "head": tags[:15] + titles[:3],
        "headings": [f"{level}: {_text(content)[:120]}" for level, content in headings[:15]],
        "text": _text(html.partition("<body")[2] or html)[:MOST_TEXT],
    }


def _text(html: str) -> str:
    html = re.sub(r"<(script|style)\b.*?</\1>", " ", html[:400_000], flags=re.IGNORECASE | re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", "<" + html if html[:1] != "<" else html)).split())


def places(html: str, evidence: dict[str, Any]) -> list[str]:
    """The HTML around each text and address that the evidence names."""
    found: list[str] = []
    for sought in _sought({key: value for key, value in evidence.items() if key != "message"}):
        at = html.find(sought)
        if at >= 0 and len(found) < MOST_PLACES:
            found.append(html[max(0, at - AROUND) : at + len(sought) + AROUND])
    return found


def _sought(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _sought(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _sought(inner)
    elif isinstance(value, str) and len(value) >= SHORTEST_SOUGHT:
        parts = urlsplit(value) if value.startswith("http") else None
        yield (parts.path.rpartition("/")[2] or parts.path) if parts is not None else value


if __name__ == "__main__":
    sys.exit(main())
