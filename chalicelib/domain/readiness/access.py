"""The verdict of robots.txt for each crawler of the project's crawler list."""

from typing import Final

import msgspec

from chalicelib.domain.crawl.robots import Robots, Verdict
from chalicelib.domain.crawlers import Crawler, crawler_list
from chalicelib.domain.readiness.records import CrawlerAccess

FOLLOWING: Final = {"Applebot": "Googlebot"}  # a crawler without a group -> the crawler whose group it follows


def readable(status: int) -> bool:
    """Whether an answer with this status says what crawlers may do. 4xx allows everything, 5xx says nothing."""
    return 0 < status < 500


def verdict_for(robots: Robots, bot: str, url: str) -> Verdict:
    """Return the file's verdict on an address for a crawler."""
    verdict = robots.verdict(bot, url)
    instead = FOLLOWING.get(bot)
    if instead is not None and verdict.group_agent in (None, "*"):
        # Apple documents that its crawler follows Googlebot's group if it has none.
        followed = robots.verdict(instead, url)
        if followed.group_agent not in (None, "*"):
            return followed
    return verdict


def accesses(robots: Robots | None, url: str) -> tuple[CrawlerAccess, ...]:
    """Return the file's verdicts on an address for every crawler of the project's list.

    ``robots``: None if the file could not be read.
    """
    return tuple(_access(robots, crawler, url) for crawler in crawler_list().crawlers)


def _access(robots: Robots | None, crawler: Crawler, url: str) -> CrawlerAccess:
    unknown = CrawlerAccess(
        bot=crawler.bot,
        owner=crawler.owner,
        purpose=crawler.purpose,
        kind=crawler.kind,
        allowed=None,
        source="unreadable",
    )
    if robots is None:
        return unknown
    verdict = verdict_for(robots, crawler.bot, url)
    return msgspec.structs.replace(
        unknown,
        allowed=verdict.allowed,
        source="default" if verdict.group_agent is None else "robots_txt",
        line=verdict.line,
        line_number=verdict.line_number,
        group=verdict.group_agent,
    )
