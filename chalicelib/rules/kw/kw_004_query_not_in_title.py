"""KW-004: one query brings most of a page's visitors, but the page's title and heading lack a word of that query."""

from typing import Final

from chalicelib.rules.kw.model import QueryPage, SearchData, Task, Verdicts, shown
from chalicelib.rules.wording import quoted

LEAST_SHARE: Final = 0.2  # share of the page's clicks that must come from the query
LEAST_CLICKS: Final = 5  # clicks from the query; fewer prove little


def check(data: SearchData) -> Verdicts:
    clicks: dict[str, int] = {}
    tops: dict[str, QueryPage] = {}
    for pair in data.pairs:
        clicks[pair.page] = clicks.get(pair.page, 0) + pair.figures.clicks
    for pair in data.unnamed:
        top = tops.get(pair.page)
        if top is None or _order(pair) < _order(top):
            tops[pair.page] = pair
    for page, top in tops.items():
        known = data.known[page]
        # Visits from rare queries are only in the page's own clicks.
        whole = max(clicks[page], data.pages[page].clicks if page in data.pages else 0)
        wanted = data.words(top.query, known)
        enough = top.figures.clicks >= max(LEAST_CLICKS, LEAST_SHARE * whole)
        if not enough or not wanted or known.headings is None or not (known.title or known.main_headings):
            continue
        said = data.words(" ".join([known.title or "", *known.main_headings]), known)
        missing = [word.form for word in data.vocabulary.words(top.query, known.language) if word.key not in said]
        yield page, _task(top, missing) if missing else None


def _order(pair: QueryPage) -> tuple[int, int, str]:
    return -pair.figures.clicks, -pair.figures.impressions, pair.query


def _task(top: QueryPage, missing: list[str]) -> Task:
    words = " and ".join(map(quoted, missing))
    return Task(
        f"{quoted(top.query)} brings {top.figures.clicks:,} clicks; {words} {'is' if len(missing) == 1 else 'are'} "
        "missing from both the title and the main heading.",
        {"query": top.query, "missing": missing, **shown(top.figures)},
        query=top.query,
    )
