"""Decides whether a page has a text like an article, whatever its address."""

from typing import Final

from chalicelib.domain.page.facts import PageFacts

_ARTICLES: Final = frozenset(
    {"Article", "BlogPosting", "NewsArticle", "TechArticle", "ScholarlyArticle", "Report", "Recipe", "HowTo"}
)
_ARTICLE_WORDS: Final = 300  # words; a page with a main heading, paragraphs and this many words is an article
_PARAGRAPH: Final = 60  # characters: a shorter paragraph may be a label


def is_article(facts: PageFacts) -> bool:
    """Whether the page has a text like an article, whatever its address."""
    if not _ARTICLES.isdisjoint(facts.structured_types):
        return True
    return facts.words >= _ARTICLE_WORDS and _has_paragraphs(facts) and _first_heading(facts) is not None


def _has_paragraphs(facts: PageFacts) -> bool:
    return sum(len(paragraph) >= _PARAGRAPH for paragraph in facts.paragraphs) > 1


def _first_heading(facts: PageFacts) -> str | None:
    return next((text for level, text in facts.headings if level == 1 and text), None)
