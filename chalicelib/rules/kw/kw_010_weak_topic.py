"""KW-010: many pages on one topic that together bring few visitors."""

from typing import Final

from chalicelib.domain.search.addresses import page_key
from chalicelib.domain.search.strength import strength_of
from chalicelib.domain.search.topics import Topic
from chalicelib.rules.kw.model import SearchData, Task, Verdicts
from chalicelib.rules.wording import quoted

LEAST_PAGES: Final = 5
TOP_SHARE: Final = 0.25  # share of the topics: those that lack the most clicks


def check(data: SearchData) -> Verdicts:
    days = data.period.length
    weak = []
    for topic in data.topics:
        strength = strength_of(topic.page_count, topic.clicks, days)
        if topic.page_count >= LEAST_PAGES and strength.name == "weak":
            weak.append((-strength.clicks_short, topic.id, topic))
    weak.sort()
    worst = -(-len(weak) // round(1 / TOP_SHARE))
    for number, (short, _, topic) in enumerate(weak):
        pages = [page_key(page.url) for page in topic.pages]
        for page in pages:
            if page in data.known:
                yield page, _task(topic, -short, len(pages)) if number < worst else None


def _task(topic: Topic, short: float, pages: int) -> Task:
    return Task(
        f"The page is one of {topic.page_count:,} pages on {quoted(topic.name)}. Together they got {topic.clicks:,} "
        f"clicks in 28 days; {short:,.0f} more would make five per page.",
        {"topicId": topic.id, "topic": topic.name, "pageCount": topic.page_count, "clicks": topic.clicks},
        short / pages,
    )
