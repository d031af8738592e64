"""Proposes questions for assistants, taken from people's search queries and the website's headings."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from chalicelib.domain.page.answers import QUESTION_LANGUAGES, asks, opening_of
from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.page.text import fold
from chalicelib.domain.search.rows import Row
from chalicelib.domain.visibility.prompts import BadPrompt, checked_locale, checked_text

MOST_PROPOSED: Final = 20


class Proposal(NamedTuple):
    """A question and its source. ``weight``: its priority, by which proposals are sorted."""

    text: str
    locale: str | None
    source: str
    weight: int


def is_question(query: str) -> bool:
    """Whether a search query is a question. The query may be in any language whose question words are known."""
    return any(asks(query, opening_of(language)) for language in QUESTION_LANGUAGES)


def of_queries(rows: Iterable[Row]) -> list[Proposal]:
    """Convert queries to questions, in the given order. ``rows``: queries that pass ``is_question``, with their
    figures."""
    found: dict[str, Proposal] = {}
    for row in rows:
        try:
            question = checked_text(row.key)
        except BadPrompt:
            continue
        shown = f"search query, {row.impressions:,} impressions and {row.clicks:,} clicks in 28 days"
        found.setdefault(fold(question), Proposal(question, None, shown, row.impressions))
    return list(found.values())


def of_headings(pages: Iterable[PageFacts]) -> list[Proposal]:
    """Return the questions in the headings of pages, each once, the most frequent first."""
    found: dict[str, Proposal] = {}
    for page in pages:
        language = _language(page.lang)
        opening = opening_of(language)
        for text in dict.fromkeys(heading for level, heading in page.headings if level <= 3):
            if not asks(text, opening):
                continue
            try:
                question = checked_text(text)
            except BadPrompt:
                continue
            known = found.get(fold(question))
            seen = Proposal(question, language, f"heading on {page.url}", 1)
            found[fold(question)] = seen if known is None else known._replace(weight=known.weight + 1)
    return sorted(found.values(), key=lambda proposal: (-proposal.weight, proposal.source, proposal.text))


def _language(given: str | None) -> str | None:
    try:
        return checked_locale(given)
    except BadPrompt:
        return None
