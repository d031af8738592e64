"""Selects, from a page's stored facts, the words from which an assistant drafts the page's description."""

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from chalicelib.domain.page.facts import PageFacts
from chalicelib.rules.address import kind_of
from chalicelib.suggestions import drafts
from chalicelib.suggestions.drafts import Judged, Material
from chalicelib.suggestions.filler import is_filler

VERSION: Final = drafts.VERSION
_NO_DRAFT: Final = frozenset({"account", "archive", "empty_archive", "search"})


class Question(NamedTuple):
    """A request for a draft, and the data with which the draft is checked. ``given``: the page's words."""

    given: Material

    @property
    def instructions(self) -> str:
        return drafts.INSTRUCTIONS

    @property
    def prompt(self) -> str:
        return drafts.prompt(self.given)

    def judged(self, answer: str, taken: Callable[[str], bool]) -> Judged:
        """Return the draft in an assistant's answer, if it passes every check.

        ``taken(text)``: whether another page of the website already has this text as its description, or would get it.
        The text is normalized by ``fold``.
        """
        return drafts.judged(answer, self.given, taken)


def question_about(facts: PageFacts, others: Iterable[PageFacts]) -> Question | None:
    """Return the request for a draft of the page's description. Returns None if the page gets no draft.

    These pages get no draft: log-in, basket and search pages, lists, empty pages, and pages with sample text.
    ``others``: other pages of the website. Paragraphs that occur on them too are not used for the draft.
    """
    filler = any(kind == "lorem" for kind, _ in facts.placeholders) or is_filler(facts.title or "")
    if filler or kind_of(facts).certain.kind in _NO_DRAFT:
        return None
    shared = {paragraph for other in others if other.url != facts.url for paragraph in other.paragraphs}
    h1 = _h1(facts)
    own = [paragraph for paragraph in facts.paragraphs if paragraph not in shared]
    given = drafts.material(facts.title or "", h1, (text for _, text in facts.headings if text != h1), own)
    return None if given is None else Question(given)


def digest_of(facts: PageFacts) -> str:
    """Return a digest of those words of the page from which drafts are made."""
    return drafts.digest(facts.title, _h1(facts), (text for _, text in facts.headings), facts.paragraphs)


def _h1(facts: PageFacts) -> str:
    return facts.shown_title or next((text for level, text in facts.headings if level == 1), "")
