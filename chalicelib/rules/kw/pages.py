"""Merges tasks for several queries of one page, for checks that judge pairs of a query and a page."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from chalicelib.rules.kw.model import QueryPage, Task, Verdicts, shown

MOST_QUERIES: Final = 5  # queries that the evidence of a page names


class Found(NamedTuple):
    """A pair of query and page that needs work. ``details``: what the evidence contains in addition to the figures."""

    pair: QueryPage
    gain: float
    details: Mapping[str, object]


def by_page(judged: Iterable[tuple[QueryPage, Found | None]], message: Callable[[Found, int], str]) -> Verdicts:
    """Merge the pairs of each page into one task. In the task, the pair that may win the most
    clicks comes first.

    ``message(first pair, number of pairs)``: returns the text for people.
    """
    pages: dict[str, list[Found]] = {}
    for pair, found in judged:
        of_page = pages.setdefault(pair.page, [])
        if found is not None:
            of_page.append(found)
    for page, all_found in pages.items():
        if not all_found:
            yield page, None
            continue
        all_found.sort(key=lambda one: (-one.gain, one.pair.query))
        first = all_found[0]
        queries = [
            {"query": one.pair.query, **shown(one.pair.figures), **one.details} for one in all_found[:MOST_QUERIES]
        ]
        details = {"queries": queries, "queryCount": len(all_found)}
        yield page, Task(message(first, len(all_found)), details, sum(one.gain for one in all_found), first.pair.query)


def and_more(count: int) -> str:
    """Return the part of a message that says how many further pairs there are."""
    if count == 1:
        return ""
    return f" The same applies to {count - 1} more {'query' if count == 2 else 'queries'}."
