"""Every reader takes time in proportion to what it reads: twice the input takes at most three times as long.

Set ``ADVERSARY_SEED`` to draw the pages of an earlier run again; the seed stands in a failure's text.
"""

import contextlib
import os
import random
import time
from collections.abc import Callable

import pytest

from chalicelib.domain.crawl import robots, sitemap
from chalicelib.domain.crawl.urls import LinkResolver, normalise
from chalicelib.domain.crawlers import crawler_list
from chalicelib.domain.page import charset, directives
from chalicelib.domain.page.facts import PageFacts, RobotsFile, SiteFacts, TextFile
from chalicelib.domain.readiness import robots_block
from chalicelib.net.decoding import BodyReader, DecodingError
from chalicelib.net.fetch import Answer
from chalicelib.rules.context import SiteBuilder
from chalicelib.rules.engine import Judge
from chalicelib.workers.audit.bounded import is_hard
from chalicelib.workers.audit.checking import file_size
from chalicelib.workers.audit.page_process import fill, fill_head
from chalicelib.workers.audit.reading import retry_after_seconds
from tests.adversaries import shapes
from tests.adversaries.cost import MOST_GROWTH, growth
from tests.adversaries.shapes import Shape

BOTS = [crawler.bot for crawler in crawler_list().crawlers]
URL = "https://demo.test/shop/page"
SEED = int(os.environ.get("ADVERSARY_SEED", "0")) or time.time_ns() % 1_000_000
DRAWN = 24
QUICK_DRAWN = 8  # of them in `make test`; the rest is deep
PAGE_BYTES = 80_000  # and twice and four times as many, as far as a page is read where it is


def read_and_judge(body: bytes) -> None:
    """All that happens to a page: it is read, and judged by every rule beside a website of this one page."""
    facts = PageFacts(url=URL, status=200, is_html=True, bytes=len(body), content_type="text/html")
    fill(facts, body, {"content-type": "text/html; charset=utf-8"}, "demo.test")
    builder = SiteBuilder(SiteFacts(home_url=URL, host="demo.test"), now=1_800_000_000)
    builder.add(facts)
    judge = Judge(builder.finish())
    judge.page(facts)
    judge.site()
    assert not judge.failures, judge.failures


def read_its_head(body: bytes) -> None:
    """What a page says of approved values: of a page as it is, and of one whose body it is."""
    for page in (body, b"<title>Tents</title><body>" + body):
        facts = PageFacts(url=URL, status=200, is_html=True, bytes=len(page), content_type="text/html")
        fill_head(facts, page, {"content-type": "text/html; charset=utf-8"}, "demo.test")


def read_robots(body: bytes) -> None:
    parsed = robots.parse(body)
    for agent in ("GPTBot", "Googlebot", "a100001"):
        for path in ("/", "/1a1a1a1a1a1ab", "/" + "a" * 500, "/shop?x=1"):
            parsed.verdict(agent, "https://demo.test" + path)


def write_robots(body: bytes) -> None:
    """The block for every crawler of the list, upon rules of each kind and among markers."""
    for own in (body, body + robots_block.BEGIN + b"\n" + body + b"\n" + robots_block.END):
        for rule in ("allow", "deny"):
            with contextlib.suppress(robots_block.TooLong):
                block = robots_block.block_of(own, dict.fromkeys(BOTS, rule))
                robots_block.written_block(robots_block.with_block(own, block))


def judge_website(robots_txt: str, llms_txt: str) -> None:
    site = SiteFacts(home_url=URL, host="demo.test")
    site.robots = RobotsFile("https://demo.test/robots.txt", 200, robots_txt, bytes=len(robots_txt))
    site.llms_txt = TextFile("https://demo.test/llms.txt", 200, llms_txt, bytes=len(llms_txt))
    builder = SiteBuilder(site, now=1_800_000_000)
    builder.add(PageFacts(url=URL, status=200, is_html=True, bytes=100, content_type="text/html"))
    judge = Judge(builder.finish())
    judge.site()
    assert not judge.failures, judge.failures


def read_headers(value: bytes) -> None:
    text = value.decode("latin-1")
    retry_after_seconds(Answer(URL, headers={"retry-after": text}))
    file_size(text)
    charset.decode(b"\xff", text)
    directives.read([("robots", text)], text, 1_800_000_000)
    facts = PageFacts(
        url=URL, status=200, is_html=True, bytes=9, content_type="text/html", headers={"x-robots-tag": text}
    )
    fill(facts, b"<p>x", {"link": text, "content-security-policy": text}, "demo.test")


def read_addresses(value: bytes) -> None:
    text = value.decode("utf-8", "replace")
    normalise(text)
    LinkResolver(URL).resolve(text)
    LinkResolver(URL).resolve(text[text.find(":") + 1 :])


def unpack(body: bytes) -> None:
    sitemap.parse(body, "https://demo.test/sitemap.xml.gz")
    reader = BodyReader("gzip", 10_000_000)
    try:
        for start in range(0, len(body), 65_536):
            reader.add(body[start : start + 65_536])
    except DecodingError:
        pass
    reader.body()


READERS: dict[str, tuple[Callable[[bytes], None], dict[str, Shape], int]] = {
    "robots.txt": (read_robots, shapes.ROBOTS, 125_000),
    "robots.txt, written": (write_robots, shapes.ROBOTS, 125_000),
    "robots.txt, judged": (lambda body: judge_website(body.decode(), ""), shapes.ROBOTS, 125_000),
    "sitemap": (lambda body: sitemap.parse(body, "https://demo.test/sitemap.xml") and None, shapes.SITEMAPS, 300_000),
    "llms.txt": (lambda body: judge_website("", body.decode()), shapes.LLMS, 50_000),
    "charset": (lambda body: charset.decode(b"\xff" + body, None) and None, shapes.CHARSETS, 100_000),
    "headers": (read_headers, shapes.HEADERS, 16_000),
    "addresses": (read_addresses, shapes.ADDRESSES, 16_000),
    "packed bodies": (unpack, shapes.PACKED, 500_000),
}


def check(read: Callable[[bytes], object], sizes: list[bytes], what: str = "") -> None:
    factor, costs = growth(read, sizes)
    assert factor <= MOST_GROWTH, f"costs {costs} for sizes {[len(size) for size in sizes]} (seed {SEED}) {what}"


def page_sizes(shape: Shape) -> list[bytes]:
    """A page and its doubles, up to the size at which it is read in a process of its own."""
    sizes = [shape(PAGE_BYTES << step) for step in range(3)]
    return [size for size in sizes if not is_hard(size)]


@pytest.mark.parametrize("name", shapes.HTML)
def test_parsing_and_auditing_a_page_takes_time_linear_in_its_size(name: str) -> None:
    check(read_and_judge, page_sizes(shapes.HTML[name]))


@pytest.mark.parametrize("name", shapes.HTML)
def test_parsing_the_head_of_a_page_takes_time_linear_in_its_size(name: str) -> None:
    check(read_its_head, page_sizes(shapes.HTML[name]))


@pytest.mark.parametrize(
    "number", [pytest.param(number, marks=pytest.mark.deep if number >= QUICK_DRAWN else ()) for number in range(DRAWN)]
)
def test_parsing_and_auditing_a_randomly_generated_page_takes_linear_time(number: int) -> None:
    name, shape = shapes.drawn(random.Random(SEED * 1_000 + number))
    check(read_and_judge, page_sizes(shape), name)


@pytest.mark.parametrize(("reader", "name"), [(reader, name) for reader in READERS for name in READERS[reader][1]])
def test_each_parser_of_files_headers_and_addresses_takes_linear_time(reader: str, name: str) -> None:
    read, made, size = READERS[reader]
    check(read, [made[name](size << step) for step in (0, 1, 2)])
