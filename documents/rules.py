"""Makes docs/rules from the texts of the rules: one page for each rule, and a list of all rules."""

import re
from collections.abc import Mapping
from typing import Final

from chalicelib.rules.model import CATEGORY_NAMES, Confidence, Effort, Population, Rule
from chalicelib.rules.registry import RULES, SCORE_VERSION

_SENTENCE_END: Final = re.compile(r"(?<=\.) (?=[A-Z\"“`<])")
_LEAST_LISTED: Final = 3  # sentences
_TAG: Final = re.compile(r"<[a-z][^>]*>")

POPULATIONS: Final[Mapping[Population, str]] = {
    "indexable": "HTML pages that answer 200 and may be indexed",
    "readable": "HTML pages that answer 200",
    "crawled": "every address that was requested",
    "asked": "every address that was requested, linked documents among them",
    "known": "every known address, read or not",
    "sitemap": "addresses in the sitemap",
    "links": "indexable pages with internal links",
    "images": "indexable pages with images",
    "hreflang": "indexable pages with hreflang",
    "structured": "indexable pages with structured data",
    "site": "the website as a whole",
}
CONFIDENCES: Final[Mapping[Confidence, str]] = {
    "certain": "certain: every finding is a fault",
    "likely": "likely: a few of the listed pages may be correct, so a finding counts 0.8 times in the score",
    "possible": "possible: a person should look at the listed pages, so a finding counts half in the score",
}
EFFORTS: Final[Mapping[Effort, str]] = {
    "low": "low: change a field or a setting",
    "medium": "medium: change a template or the server",
    "high": "high: write content or code",
}
FIELDS: Final[Mapping[str, str]] = {
    "title": "the title",
    "meta_description": "the meta description",
    "canonical": "the canonical address",
    "noindex": "noindex",
    "alt": "the alternative text (in the app)",
}


def page_of(rule: Rule) -> str:
    """Return the help page of a rule, as Markdown. HTML tags are formatted as code, since Markdown would interpret
    them."""
    return _TAG.sub(r"`\g<0>`", _page_of(rule))


def _page_of(rule: Rule) -> str:
    return "\n".join(
        [
            f"# {rule.title}",
            "",
            f"`{rule.id}` · {CATEGORY_NAMES[rule.category]} · severity {rule.severity}",
            "",
            "## What it finds",
            "",
            rule.what,
            "",
            "## Why it matters",
            "",
            rule.why,
            "",
            "## How to fix it",
            "",
            rule.fix,
            *_advice(rule),
            "",
            "## When it does not apply",
            "",
            *_listed(rule.not_when),
            "",
            "## How it counts",
            "",
            "| | |",
            "|---|---|",
            f"| Pages that the rule judges | {POPULATIONS[rule.population]} |",
            f"| Confidence | {CONFIDENCES[rule.confidence]} |",
            f"| The most it can cost | {_cost(rule)} |",
            f"| Effort to fix it | {EFFORTS[rule.effort]} |",
            f"| What this service can write | {FIELDS[rule.writable_field] if rule.writable_field else 'nothing'} |",
            "",
            "## Where this comes from",
            "",
            rule.source,
            "",
        ]
    )


def _advice(rule: Rule) -> list[str]:
    if not rule.advice:
        return []
    return ["", *(f"- {name.replace('_', ' ')}: {text}" for name, text in rule.advice.items())]


def _listed(text: str) -> list[str]:
    """Return the lines of a text. Several sentences become a list, since each is a case of its own."""
    if "\n- " in text:
        return text.split("\n")
    sentences = _SENTENCE_END.split(text)
    return [text] if len(sentences) < _LEAST_LISTED else [f"- {sentence}" for sentence in sentences]


def _cost(rule: Rule) -> str:
    if rule.gate is not None:
        return f"{rule.gate * rule.kappa:.0%} of the whole health score, not only of one category (the rule is a gate)"
    if not rule.weight:
        return "nothing: findings are shown and do not change the score"
    return f"{_most(rule)} of the score for {CATEGORY_NAMES[rule.category]}"


def _most(rule: Rule) -> str:
    return f"{rule.weight * rule.kappa:g}%"


def _shortly(rule: Rule) -> str:
    if rule.gate is not None:
        return f"{rule.gate * rule.kappa:.0%} of the health score (gate)"
    return _most(rule) if rule.weight else "nothing"


def index() -> str:
    """Return the list of all rules, as Markdown."""
    lines = [
        "# Rules",
        "",
        f"{len(RULES)} rules, score version `{SCORE_VERSION}`. Each rule has its own page, which says what it finds, "
        "why it matters, how to fix it, and when it does not apply.",
        "",
        "The cost of a rule grows with the square root of the share of affected pages: if one page in a hundred is "
        "affected, the rule takes a tenth of its maximum. So a single broken page of a large website is visible, and "
        "the last fixes gain most. A rule that is a gate lowers the whole health score instead of its category's. The "
        "priority of an action is divided by its effort (low 1, medium 1.5, high 2). [How the score is "
        "made](../api.md#the-score) explains the details.",
    ]
    for category, name in CATEGORY_NAMES.items():
        rules = [rule for rule in RULES if rule.category == category]
        if not rules:
            continue
        lines += [
            "",
            f"## {name} ({category})",
            "",
            "| Rule | What it finds | Severity | Lowers the category score by at most | Effort to fix it "
            "| Field that can be written |",
            "|---|---|---|---|---|---|",
        ]
        lines += [
            f"| [{rule.id}]({rule.id}.md) | {rule.title} | {rule.severity} | {_shortly(rule)} "
            f"| {rule.effort} | {rule.writable_field or 'none'} |"
            for rule in rules
        ]
    return "\n".join([*lines, ""])


def pages() -> dict[str, str]:
    """Return all files of the folder: file name -> content."""
    return {"README.md": index(), **{f"{rule.id}.md": page_of(rule) for rule in RULES}}
