"""What robots.txt says to each crawler of the list."""

from chalicelib.domain.crawl import robots
from chalicelib.domain.crawlers import crawler_list
from chalicelib.domain.readiness.access import accesses, readable
from chalicelib.domain.readiness.records import CrawlerAccess

HOME = "https://example.com/"


def of(text: str, bot: str) -> CrawlerAccess:
    return next(one for one in accesses(robots.parse(text), HOME) if one.bot == bot)


def test_crawlers_are_listed_in_the_order_of_the_crawler_list() -> None:
    found = accesses(robots.parse(""), HOME)
    assert [(one.bot, one.owner, one.purpose, one.kind) for one in found] == [
        (one.bot, one.owner, one.purpose, one.kind) for one in crawler_list().crawlers
    ]
    assert {(one.allowed, one.source, one.line, one.group) for one in found} == {(True, "default", None, None)}


def test_the_robots_txt_line_that_decides_is_returned_with_its_number() -> None:
    found = of("# first\n\nUser-agent: gptbot\nDisallow: /  # all\nAllow: /a\n", "GPTBot")
    assert (found.allowed, found.source, found.line_number, found.group) == (False, "robots_txt", 4, "gptbot")
    assert found.line == "Disallow: /  # all"


def test_a_group_without_a_matching_rule_allows_the_home_page() -> None:
    found = of("User-agent: *\nDisallow: /a\n", "GPTBot")
    assert (found.allowed, found.source, found.line, found.group) == (True, "robots_txt", None, "*")


def test_applebot_follows_the_googlebot_group_if_it_lacks_its_own_group() -> None:
    assert of("User-agent: Googlebot\nDisallow: /\n", "Applebot").group == "Googlebot"
    both = "User-agent: Googlebot\nDisallow: /\n\nUser-agent: Applebot\nAllow: /\n"
    assert of(both, "Applebot").allowed is True
    assert of("User-agent: Googlebot\nDisallow: /\n", "Applebot-Extended").allowed is True


def test_an_unreadable_robots_txt_gives_no_verdicts() -> None:
    assert {(one.allowed, one.source, one.line) for one in accesses(None, HOME)} == {(None, "unreadable", None)}


def test_a_status_below_500_counts_as_a_readable_robots_txt() -> None:
    assert [status for status in (0, 200, 301, 404, 429, 499, 500, 503) if readable(status)] == [
        200,
        301,
        404,
        429,
        499,
    ]
