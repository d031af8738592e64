"""The website that the benchmarks crawl, generated and served by a separate process.

``python -m bench.site --pages 2000`` prints its address and serves until its standard input is closed. With
``--websites 20`` it serves 20 such websites, each on a port of its own, and prints the address of each on a line. With
``--llms-txt`` it also serves an llms.txt.

Pages have about 40 KB and 40 links, like those of a shop or a magazine: navigation, text, pictures, JSON-LD, inline
style and script. Every page is made and compressed before the first request, so that serving costs next to nothing. The
website depends only on the number of pages. A few pages have faults, so that some rules fire.
"""

import argparse
import gzip
import json
import random
import sys
from typing import Final

from local.demo.protocol import Answer, HttpServer, Request, answer

LINKS: Final = 40
CHILDREN: Final = 24  # links to deeper pages or, on the deepest pages, to pages of the same depth
NAVIGATION: Final = 10
FOOTER: Final = 6
HTML_BYTES: Final = 40_000
SITEMAP_ROWS: Final = 2_000
WORDS: Final = (
    "trail ridge summit valley river forest meadow granite weather shelter packing boots jacket canvas leather "
    "morning evening autumn winter summer spring early slowly quietly rarely often warm cold bright narrow steep "
    "walkers guides families children farmers rangers carry repair choose pitch follow cross climb return gather "
    "because although between beyond without during against along toward across the a of and to in with from for "
    "map compass stove kettle lantern blanket rope buckle zipper thread needle pocket strap sole lace weight litre "
    "distance hour minute degree metre kilometre route station bridge village harbour island coast cliff beach moor"
).split()


def path_of(number: int) -> str:
    """Return the address of page ``number``; 0 is the home page."""
    return "/" if number == 0 else f"/section-{number % 20}/page-{number}/"


class Generator:
    """Makes the pages of a website of ``pages`` pages under ``base``."""

    def __init__(self, pages: int, base: str) -> None:
        self.pages = pages
        self.base = base
        shared = random.Random("shared")
        self._style = "".join(
            f".c{number}{{padding:{shared.randint(0, 40)}px;margin:{shared.randint(0, 9)}px auto;line-height:1.5;"
            f"color:#{shared.randint(0, 0xFFFFFF):06x};border-radius:{shared.randint(0, 20)}px}}"
            for number in range(70)
        )
        self._script = ";".join(
            f"window.shop.register('{shared.choice(WORDS)}-{number}',{{delay:{shared.randint(1, 900)},once:true}})"
            for number in range(60)
        )

    def links(self, number: int) -> tuple[list[int], list[int], list[int]]:
        """Return the pages to which page ``number`` links in navigation, text and footer. No page is more than four
        clicks deep."""
        draw = random.Random(f"links {number}")
        first = number * CHILDREN + 1
        text = [child for child in range(first, first + CHILDREN) if child < self.pages]
        while len(text) < CHILDREN:
            text.append(draw.randrange(self.pages))
        navigation = [child % self.pages for child in range(NAVIGATION)]
        footer = [child % self.pages for child in range(NAVIGATION, NAVIGATION + FOOTER)]
        return navigation, text, footer

    def html(self, number: int) -> str:
        """Return the page as HTML of about ``HTML_BYTES`` bytes."""
        draw = random.Random(f"page {number}")
        navigation, text, footer = self.links(number)
        address = self.base + path_of(number)
        name = f"{self._words(draw, 4).title()} {number}"
        title = "" if number % 97 == 96 else f"<title>{name} | Bench Outdoor</title>"
        summary = self._words(draw, 17)[:130]
        description = "" if number % 20 == 19 else f'<meta name="description" content="{summary} {number}">'
        product = {
            "@context": "https://schema.org", "@type": "Article", "headline": name, "description": summary,
            "datePublished": f"2025-{1 + number % 12:02d}-{1 + number % 28:02d}",
            "author": {"@type": "Person", "name": "Morag Sinclair"}, "image": [f"{self.base}/images/{number}.jpg"],
        }  # fmt: skip
        parts = [
            f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n{title}\n{description}\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f'<link rel="canonical" href="{address}">\n<meta property="og:title" content="{name}">\n'
            f'<meta property="og:image" content="{self.base}/images/{number}.jpg">\n<style>{self._style}</style>\n'
            f'<script type="application/ld+json">{json.dumps(product)}</script>\n'
            f"<script>window.shop=window.shop||{{register(){{}}}};{self._script}</script>\n</head>\n"
            '<body class="template-article c1">\n<header class="c2"><nav class="c3" aria-label="Main"><ul>',
            *(
                f'<li class="c{n % 70}"><a class="c{n % 9}" href="{path_of(n)}">Section {n}</a></li>'
                for n in navigation
            ),
            f'</ul></nav></header>\n<main id="main" class="c4"><article class="c5">\n<h1 class="c6">{name}</h1>\n',
        ]
        size = sum(map(len, parts))
        blocks = [self._block(draw, number, position, target) for position, target in enumerate(text)]
        parts += blocks
        size += sum(map(len, blocks)) + 1_200
        while size < HTML_BYTES:
            paragraph = (
                f'<p class="c{size % 70}">{self._words(draw, 40)} <strong>{self._words(draw, 3)}</strong>.</p>\n'
            )
            parts.append(paragraph)
            size += len(paragraph)
        if number % 50 == 49:
            parts.append(f'<p><a href="/gone/{number}/">an offer that has ended</a></p>\n')
        parts.append('</article></main>\n<footer class="c7"><ul>')
        parts += [f'<li><a class="c8" href="{path_of(n)}">Footer {n}</a></li>' for n in footer]
        parts.append("</ul><p>Bench Outdoor, 4 Quarry Road, Harrowdale</p></footer>\n</body>\n</html>\n")
        return "".join(parts)

    def _block(self, draw: random.Random, number: int, position: int, target: int) -> str:
        """Make one section of a page: heading, text with a link, a list of properties, an icon, sometimes a picture."""
        alt = "" if number % 25 == 24 else f' alt="{self._words(draw, 5)}"'
        rows = "".join(
            f'<li class="c{row} c{row + 30}"><span class="c{row + 9}">{draw.choice(WORDS)}</span> '
            f"<b>{draw.randint(1, 999)}</b></li>"
            for row in range(4)
        )
        figure = (
            f'<figure class="c{position + 5}"><img src="/images/{number}-{position}.jpg"{alt} width="640" height="480" '
            f'loading="lazy"><figcaption>{self._words(draw, 8)}</figcaption></figure>\n'
        )
        return (
            f'<section class="c{position} c{position + 8}" data-track="block-{number}-{position}"><div class="c11">'
            f'<div class="c{position + 12}"><h2 class="c{position + 20}">{self._words(draw, 6).capitalize()}</h2>\n'
            f'<svg class="icon" width="24" height="24" viewBox="0 0 24 24" aria-hidden="true"><path d="M{position} 2v8h'
            f'8l-{position} 12"/></svg></div>\n<p class="c{position + 30}">{self._words(draw, 22)} <em>'
            f"{self._words(draw, 2)}</em>, {self._words(draw, 12)}. "
            f'<a class="c{position + 40}" href="{path_of(target)}">{self._words(draw, 3)}</a> '
            f'{self._words(draw, 14)}.</p>\n<ul class="c14">{rows}</ul>\n'
            f'<div class="c15"><button type="button" class="c{position + 16}" data-id="{number}-{position}"><span '
            f'class="c17">{self._words(draw, 2)}</span></button></div></div>\n'
            f"{figure if position % 4 == 0 else ''}</section>\n"
        )

    @staticmethod
    def _words(draw: random.Random, count: int) -> str:
        return " ".join(draw.choices(WORDS, k=count))


def answers(pages: int, base: str) -> dict[str, Answer]:
    """Make the answers of all addresses of the website, by path. Pages are compressed."""
    generator = Generator(pages, base)
    made = {path_of(number): packed(generator.html(number), "text/html; charset=utf-8") for number in range(pages)}
    children = []
    for start in range(0, pages, SITEMAP_ROWS):
        path = f"/sitemap-{start // SITEMAP_ROWS}.xml"
        rows = "".join(
            f"<url><loc>{base}{path_of(number)}</loc><lastmod>2025-{1 + number % 12:02d}-01</lastmod></url>\n"
            for number in range(start, min(start + SITEMAP_ROWS, pages))
        )
        made[path] = packed(
            f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</urlset>', "text/xml"
        )
        children.append(f"<sitemap><loc>{base}{path}</loc></sitemap>")
    index = '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">' + "".join(children) + "</sitemapindex>"
    made["/sitemap.xml"] = packed(index, "text/xml")
    made["/robots.txt"] = packed(f"User-agent: *\nDisallow: /private/\n\nSitemap: {base}/sitemap.xml\n", "text/plain")
    return made


def packed(text: str, content_type: str) -> Answer:
    """Make an answer with a compressed body."""
    headers = {"Content-Type": content_type, "Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    return answer(200, headers, gzip.compress(text.encode(), compresslevel=5, mtime=0))


def llms_txt(pages: int, base: str) -> Answer:
    """Make an llms.txt that lists every page."""
    lines = [f"- [{WORDS[number % len(WORDS)]} {number}]({base}{path_of(number)})" for number in range(pages)]
    return packed("\n".join(["# Bench Outdoor", "", "## Pages", "", *lines, ""]), "text/plain; charset=utf-8")


class Website:
    """Serves the website from this process. ``url``: its home page. ``made``: the answers by path."""

    def __init__(self, pages: int) -> None:
        self.made: dict[str, Answer] = {}
        # Every image exists: the service would request broken images twice.
        self._image = answer(200, {"Content-Type": "image/jpeg"}, b"\xff\xd8" + bytes(20_000))
        self._missing = answer(404, {"Content-Type": "text/html; charset=utf-8"}, b"<title>Not found</title>")
        self._server = HttpServer(self._handle)
        self.url = f"http://127.0.0.1:{self._server.port}/"
        self.made = answers(pages, self.url.rstrip("/"))

    def _handle(self, request: Request) -> Answer:
        # As on most websites, a query is ignored.
        found = self.made.get(request.target.partition("?")[0], self._missing)
        if found is self._missing and request.target.startswith("/images/"):
            return self._image
        if found is self._missing or "gzip" in request.headers.get("accept-encoding", ""):
            return found
        return answer(406, {"Content-Type": "text/plain"}, b"this website is served compressed only\n")

    def stop(self) -> None:
        self._server.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve the benchmark's website until standard input is closed.")
    parser.add_argument("--pages", type=int, default=2_000)
    parser.add_argument("--websites", type=int, default=1)
    parser.add_argument("--llms-txt", action="store_true", help="with an llms.txt that names every page")
    arguments = parser.parse_args()
    websites = []
    for _ in range(arguments.websites):
        website = Website(arguments.pages)
        if arguments.llms_txt:
            website.made["/llms.txt"] = llms_txt(arguments.pages, website.url.rstrip("/"))
        websites.append(website)
        print(website.url, flush=True)
    sys.stdin.read()
    for website in websites:
        website.stop()


if __name__ == "__main__":
    main()
