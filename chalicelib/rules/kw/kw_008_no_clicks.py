"""KW-008: a page is often shown at a visible position, and never clicked."""

from typing import Final

from chalicelib.rules.kw.model import SearchData, Task, Verdicts, shown
from chalicelib.rules.wording import quoted

LEAST_IMPRESSIONS: Final = 500
LOWEST_POSITION: Final = 20.0


def check(data: SearchData) -> Verdicts:
    tops: dict[str, tuple[int, str]] = {}
    for pair in data.unnamed:
        tops[pair.page] = min(tops.get(pair.page, (0, "")), (-pair.figures.impressions, pair.query))
    for page, figures in data.pages.items():
        position = figures.position
        if page not in data.known or figures.impressions < LEAST_IMPRESSIONS or position is None:
            continue
        if position > LOWEST_POSITION:
            continue
        if figures.clicks:
            yield page, None
            continue
        query = tops[page][1] if page in tops else None
        most = f", most often for {quoted(query)}" if query else ""
        yield (
            page,
            Task(
                f"The page was shown {figures.impressions:,} times at position {position:.1f}{most}, and nobody "
                "clicked.",
                {"query": query, **shown(figures)},
                figures.impressions * data.curve.share(position),
                query,
            ),
        )
