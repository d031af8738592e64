"""KW-009: search shows a page for a question, but none of the page's headings asks this question."""

from collections.abc import Mapping
from typing import Final

from chalicelib.domain.page.text import fold
from chalicelib.rules.kw.model import QueryPage, SearchData, Task, Verdicts, shown
from chalicelib.rules.wording import quoted

LOWEST_POSITION: Final = 10.0
LEAST_IMPRESSIONS: Final = 10  # impressions: fewer may be chance
SHARED: Final = 0.6  # share of the question's words that a heading must have
QUESTION_WORDS: Final[Mapping[str, frozenset[str]]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": "how what why when where which who can does do is are should will",
        "de": "wie was warum wieso weshalb wann wo wer welche welcher welches kann darf ist sind soll",
        "fr": "comment pourquoi quand où quel quelle quels quelles combien qui est-ce",
        "es": "cómo como qué por cuándo cuando dónde donde cuál cuáles cuánto cuánta quién",
        "it": "come perché quando dove quale quali quanto quanta chi cosa",
        "nl": "hoe wat waarom wanneer waar welke welk wie kan mag is",
        "pt": "como por quando onde qual quais quanto quem",
        "pl": "jak co dlaczego kiedy gdzie który która które kto ile czy",
    }.items()
}
_ANY: Final = frozenset().union(*QUESTION_WORDS.values())


def check(data: SearchData) -> Verdicts:
    best: dict[str, tuple[tuple[int, str], Task | None]] = {}
    for pair in data.unnamed:
        known = data.known[pair.page]
        wanted = data.words(pair.query, known)
        if known.headings is None or not wanted or not _applies(pair, known.language or data.vocabulary.language):
            continue
        answered = any(len(wanted & data.words(text, known)) >= SHARED * len(wanted) for _, text in known.headings)
        found = None if answered else _task(pair)
        order = (-pair.figures.impressions if found else 1, pair.query)
        if pair.page not in best or order < best[pair.page][0]:
            best[pair.page] = order, found
    for page, (_, found) in best.items():
        yield page, found


def _applies(pair: QueryPage, language: str | None) -> bool:
    position = pair.figures.position
    first = fold(pair.query).partition(" ")[0]
    return (
        first in QUESTION_WORDS.get(language or "", _ANY)
        and pair.figures.impressions >= LEAST_IMPRESSIONS
        and position is not None
        and position <= LOWEST_POSITION
    )


def _task(pair: QueryPage) -> Task:
    figures = pair.figures
    return Task(
        f"The page is found for {quoted(pair.query)} (position {figures.position:.1f}, {figures.impressions:,} "
        "times), but none of its headings asks this question.",
        {"query": pair.query, **shown(figures)},
        query=pair.query,
    )
