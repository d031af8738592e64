"""What robots.txt says to crawlers at this moment."""

from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain.crawlers import crawler_list
from chalicelib.domain.readiness.written import RulesWrite
from chalicelib.store import readiness
from chalicelib.store.transactions import commit
from tests.api.conftest import House, Serve
from tests.api.live import HOUR, Files, by_bot, crawlers
from tests.servers.wire import Connection


def test_each_crawler_is_listed_with_the_robots_txt_line_that_decides_about_it(house: House, served: Serve) -> None:
    text = b"User-agent: gptbot\nAllow: /a\nDisallow: /\n\nUser-agent: *\nDisallow: /internal/\n"
    site = served(Files({"/robots.txt": text}))
    answer = crawlers(house, site)
    assert answer["robotsTxt"] == {
        "url": f"{site.url}robots.txt",
        "status": 200,
        "fetchedAt": answer["robotsTxt"]["fetchedAt"],
    }
    found = by_bot(answer)
    assert list(found) == [one.bot for one in crawler_list().crawlers]
    assert found["GPTBot"] == {
        "bot": "GPTBot",
        "owner": "OpenAI",
        "purpose": "training",
        "kind": "crawler",
        "allowed": False,
        "source": "robots_txt",
        "line": "Disallow: /",
        "lineNumber": 3,
        "rule": None,
        "matches": None,
    }
    other = found["ClaudeBot"]
    assert (other["allowed"], other["source"], other["line"]) == (True, "robots_txt", None)
    assert (answer["rules"], answer["lastChange"], answer["note"]) == ({}, None, None)


@pytest.mark.parametrize(
    ("answer", "status", "allowed", "source"),
    [
        (None, 404, True, "default"),
        (lambda c: c.answer(b"User-agent: *\nDisallow: /\n", "403 Forbidden"), 403, True, "default"),
        (lambda c: c.answer(b"", "503 Unavailable"), 503, None, "unreadable"),
        (lambda c: c.reset(), None, None, "unreadable"),
        (lambda c: c.send(b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\nUser-a"), 200, None, "unreadable"),
        (lambda c: c.answer(b"", "301 Moved", location="/robots.txt"), 301, True, "default"),
    ],
)
def test_missing_robots_txt_allows_all_and_a_failing_one_gives_no_verdict(
    house: House, served: Serve, answer: Any, status: int | None, allowed: bool | None, source: str
) -> None:
    found = crawlers(house, served(Files({"/robots.txt": answer} if answer is not None else {})))
    assert found["robotsTxt"]["status"] == status
    assert {(one["allowed"], one["source"]) for one in found["crawlers"]} == {(allowed, source)}
    assert {(one["line"], one["lineNumber"]) for one in found["crawlers"]} == {(None, None)}


def test_the_note_names_rules_added_to_robots_txt_by_cloudflare(house: House, served: Serve) -> None:
    block = (
        "# As a condition of access ...\n# BEGIN Cloudflare Managed content\n\nUser-agent: *\n"
        "Content-Signal: search=yes,ai-train=no,use=reference\nAllow: /\n\nUser-agent: GPTBot\nDisallow: /\n\n"
        "# END Cloudflare Managed Content\n\nUser-agent: GPTBot\nDisallow: /cart/\n\nUser-agent: CCBot\nDisallow: /\n"
    )
    answer = crawlers(house, served(Files({"/robots.txt": block.encode()})))
    assert answer["note"].startswith("Lines 2 to 11 of robots.txt are put there by Cloudflare (managed robots.txt)")
    assert "They decide for GPTBot" in answer["note"]
    assert by_bot(answer)["GPTBot"]["lineNumber"] == 9 and by_bot(answer)["CCBot"]["lineNumber"] == 17


def test_a_web_page_at_the_address_of_robots_txt_is_reported_in_the_note(house: House, served: Serve) -> None:
    page = b"<!doctype html><html><p>User-agent: nothing"
    answer = crawlers(house, served(Files({"/robots.txt": lambda c: c.answer(page, content_type="text/html")})))
    assert answer["note"] == "The address of robots.txt answers a web page: crawlers find no rules in it."
    assert {one["allowed"] for one in answer["crawlers"]} == {True}


def test_the_note_names_crawlers_that_no_longer_exist(house: House, served: Serve) -> None:
    answer = crawlers(house, served(Files({"/robots.txt": b"User-agent: anthropic-AI\nDisallow: /\n"})))
    assert answer["note"] == "It names crawlers that are no longer in use: anthropic-ai."


def test_only_the_first_500_kb_of_robots_txt_are_read(house: House, served: Serve) -> None:
    def endless(connection: Connection) -> None:
        connection.send(b"HTTP/1.1 200 OK\r\n\r\nUser-agent: GPTBot\nDisallow: /\n")
        for _ in range(3_000):
            connection.send(b"Disallow: /a\n" * 1_000)

    answer = crawlers(house, served(Files({"/robots.txt": endless})))
    assert by_bot(answer)["GPTBot"]["allowed"] is False


def test_published_rules_are_compared_with_the_live_robots_txt(house: House, served: Serve) -> None:
    text = b"User-agent: GPTBot\nDisallow: /\n\nUser-agent: CCBot\nDisallow: /\n\nUser-agent: *\nDisallow: /x/\n"
    site = served(Files({"/robots.txt": text}))
    at = clock.now() - HOUR
    write = RulesWrite(
        batch_id="batch_2",
        status="applied",
        value={"GPTBot": "deny", "CCBot": "allow", "ClaudeBot": "allow"},
        previous=None,
        approved_by=None,
        approved_at=at,
        applied_at=at,
    )
    commit([readiness.put_last(site.id, write)])
    answer = crawlers(house, site)
    held = {name: (one["rule"], one["matches"]) for name, one in by_bot(answer).items() if one["rule"] is not None}
    assert held == {"GPTBot": ("deny", True), "CCBot": ("allow", False), "ClaudeBot": ("allow", False)}
    assert answer["rules"] == write.value and by_bot(answer)["Bytespider"]["matches"] is None
    assert (answer["lastChange"]["batchId"], answer["lastChange"]["previous"]) == ("batch_2", None)
