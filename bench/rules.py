"""What the rules cost: ``python -m bench.rules [pages]`` judges generated facts and prints CPU-milliseconds a page,
beside reading the same facts out of their packed form.

No crawl and no store: page facts of a made-up website with 50 links and 10 images a page, and a fault here and there,
go through both passes.
"""

import sys
import time

from bench.measure import cpu_of
from chalicelib.domain.page.facts import Image, Link, PageFacts, RobotsFile, SiteFacts, SitemapFile
from chalicelib.domain.page.shingles import sketch
from chalicelib.rules.context import SiteBuilder
from chalicelib.rules.engine import Judge
from chalicelib.store.shapes import PAGE_FACTS

ORIGIN = "https://bench.example"
LINKS, IMAGES = 50, 10
BLOCK, READINGS = 100, 3
MOST_TIMES_READING = 20.0  # measured: 12 to 13
ROBOTS = "User-agent: *\nDisallow: /cart/\nDisallow: /*?sort=\nAllow: /cart/help\n"


def facts_of(number: int, pages: int) -> PageFacts:
    """The facts of one page; every tenth is gone, redirects or has a fault."""
    url = f"{ORIGIN}/section-{number % 20}/page-{number}/" if number else f"{ORIGIN}/"
    if number and number % 97 == 0:
        return PageFacts(url=url, status=404, is_html=True, tries=1)
    if number and number % 89 == 0:
        target = f"{ORIGIN}/section-{(number + 1) % 20}/page-{number + 1}/"
        return PageFacts(url=url, status=301, redirect_to=target)
    links = []
    for step in range(1, LINKS):
        other = (number * 7 + step * 13) % pages
        links.append(Link(f"{ORIGIN}/section-{other % 20}/page-{other}/", f"Page {other}"))
    links.append(Link(f"{ORIGIN}/", "Home"))
    return PageFacts(
        url=url,
        status=200,
        content_type="text/html",
        bytes=40_000,
        content_encoding="gzip",
        headers={"strict-transport-security": "max-age=31536000", "server": "bench"},
        is_html=True,
        title=f"Page {number} of section {number % 20} | A website for measuring",
        title_count=1,
        description=f"What page {number // 2} says about its section, in one sentence." if number % 11 else None,
        canonicals=[(url, url, "html")],
        robots_meta=[("robots", "index, follow, max-image-preview:large")],
        lang="en",
        viewport="width=device-width, initial-scale=1",
        headings=[(1, f"Page {number}"), (2, "More"), (2, "Related")],
        h1_count=1 if number % 13 else 0,
        words=300 + number % 200,
        text="A page of the website.",
        text_hash=f"{number:032x}",
        sketch=sketch(" ".join(f"word{(number * 31 + place * place) % 9_973}" for place in range(400))),
        shape=f"shape-{number % 20}",
        links=links,
        images=[
            Image(f"{ORIGIN}/images/{number}-{image}.jpg", "A picture" if image else None, 400, 300)
            for image in range(IMAGES)
        ],
        structured_types=["Article"],
    )


def problems(judging: float, reading: float) -> list[str]:
    """What misses its target, of the CPU seconds of both."""
    ratio = judging / reading
    return [f"judging takes {ratio:.1f} times what reading takes, more than {MOST_TIMES_READING:g}"] * (
        ratio > MOST_TIMES_READING
    )


def main() -> int:
    """Measure and print. Returns the exit status: 1 when the target is missed."""
    pages = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    facts = [facts_of(number, pages) for number in range(pages)]
    site_facts = SiteFacts(
        home_url=f"{ORIGIN}/",
        host="bench.example",
        robots=RobotsFile(f"{ORIGIN}/robots.txt", 200, ROBOTS),
        sitemaps=[SitemapFile(f"{ORIGIN}/sitemap.xml", "robots", 200, "urlset", pages)],
        sitemap_urls=[(page.url, None) for page in facts],
    )
    packed = [PAGE_FACTS.pack(facts[start : start + BLOCK]) for start in range(0, pages, BLOCK)]
    reading = min(cpu_of(lambda: [PAGE_FACTS.unpack(block) for block in packed]) for _ in range(READINGS))
    clock = time.process_time
    start = clock()
    builder = SiteBuilder(site_facts, now=0.0)
    for page in facts:
        builder.add(page)
    added = clock()
    site = builder.finish()
    finished = clock()
    judge = Judge(site)
    findings = sum(len(judge.page(page).findings) for page in facts)
    findings += len(judge.site())
    judged = clock()
    for name, seconds in (
        ("collect (pass 1)", added - start),
        ("finish, all of it", finished - added),
        ("judge (pass 2)", judged - finished),
        ("together", judged - start),
        ("reading facts", reading),
    ):
        print(f"{name:<20}{1_000 * seconds / pages:>8.3f} CPU-ms a page{seconds:>9.2f} s")
    print(f"{pages:,} pages, {findings:,} findings, {len(judge.tallies())} rules, {len(judge.failures)} failures")
    print(f"judging takes {(judged - start) / reading:.1f} times what reading the facts takes")
    missed = problems(judged - start, reading)
    for problem in missed:
        print(f"MISSED: {problem}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
