"""KW-011: assistants answer a question without naming the website, although one of its pages is about the question."""

from collections.abc import Mapping
from typing import Final

from chalicelib.rules.kw.model import AskedQuestion, KnownPage, SearchData, Task, Verdicts
from chalicelib.rules.wording import quoted

SHARED: Final = 0.5  # share of the question's words that must be in the page's title and headings
MOST_HOSTS: Final = 5  # hosts that the evidence names


def check(data: SearchData) -> Verdicts:
    if not data.questions:
        return
    pages = {key: (page, _words(page, data)) for key, page in sorted(data.known.items()) if _counts(page)}
    found: dict[str, Task | None] = {}
    for question in sorted(data.questions, key=lambda one: (-one.answers, one.text)):
        page = _about(question, pages, data)
        if page is None:
            continue
        gap = question.is_gap and question.cited is not None and page not in question.cited
        # If several questions are about a page, the most often answered one is used.
        found[page] = found.get(page) or (_task(question) if gap else None)
    yield from found.items()


def _counts(page: KnownPage) -> bool:
    return page.headings is not None and page.indexable


def _about(
    question: AskedQuestion, pages: Mapping[str, tuple[KnownPage, frozenset[str]]], data: SearchData
) -> str | None:
    """Return the page that shares the most words with the question, if enough. The first by address wins a tie."""
    wanted_in: dict[str | None, frozenset[str]] = {}
    best, most = None, 0.0
    for key, (page, words) in pages.items():
        if page.language not in wanted_in:
            wanted_in[page.language] = data.words(question.text, page)
        wanted = wanted_in[page.language]
        share = len(wanted & words) / len(wanted) if wanted else 0.0
        if share >= SHARED and share > most:
            best, most = key, share
    return best


def _words(page: KnownPage, data: SearchData) -> frozenset[str]:
    texts = [page.title or "", *(text for _, text in page.headings or ())]
    return frozenset().union(*(data.words(text, page) for text in texts))


def _task(question: AskedQuestion) -> Task:
    answers = "answer" if question.answers == 1 else "answers"
    return Task(
        f"Assistants gave {question.answers} {answers} to {quoted(question.text)}. None of them names the website or "
        "cites this page, although the page is about this question.",
        {"prompt": question.text, "answers": question.answers, "citedOthers": list(question.others[:MOST_HOSTS])},
        query=question.text,
    )
