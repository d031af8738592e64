"""Search data for a folder of HTML pages, made of their own titles and headings, and the topics of them to be read.

python -m tests.real.searched FOLDER --host HOST [--seed N] [--topics N]
"""

import argparse
import random
import re
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser

from chalicelib.domain.page.stop_words import stop_words
from chalicelib.domain.page.text import fold, one_space
from chalicelib.domain.search.topics import CrawledPage, Pair, SearchedPage, Topics, topics

SEED = 14
MOST_PAIRS = 5_000
LONGEST_QUERY = 6  # words
_WORD = re.compile(r"[^\W_]+(?:[-.'’][^\W_]+)*")
_NUMBER = re.compile(
    r"^(?:(?:[0-9A-Z]+\.)*[0-9]+\.?|[A-Z]\.|(?:Chapter|Kapitel|Chapitre|Appendix|Anhang) [0-9A-Z]+\.?)\s+"
)
_ASKED = {"en": ("how to use {}", "what is {}", "{} example"), "de": ("was ist {}", "{} anleitung", "wie {}"),
          "fr": ("comment {}", "{} exemple", "c'est quoi {}"), "ja": ("{}とは", "{} 使い方", "{} 方法")}  # fmt: skip


class Data(NamedTuple):
    """What one website has in search, and what an audit knows of its pages."""

    searched: list[SearchedPage]
    pairs: list[Pair]
    crawled: list[CrawledPage]


def made(folder: Path, host: str, *, seed: int = SEED, language: str = "en", pattern: str = "*.html") -> Data:
    """Search data of the pages of a folder: a few pages have most clicks, a third has none."""
    draw = random.Random(seed)
    stops = stop_words(language)
    read = {path: _texts(path) for path in sorted(folder.rglob(pattern))}
    # What many pages have is the template's, and nobody searches for it.
    repeated = Counter(part for texts in read.values() for part in {*texts, *_parts(texts[0])})
    own = {text for text, count in repeated.items() if count <= max(2, len(read) // 50)}
    searched: list[SearchedPage] = []
    pairs: list[Pair] = []
    crawled: list[CrawledPage] = []
    for path, (title, *headings) in read.items():
        url = f"https://{host}/{path.relative_to(folder).as_posix().removesuffix('index.html')}"
        crawled.append(CrawledPage(url, title or None, content=True))
        asked = [part for part in _parts(title) if part in own] + [text for text in headings if text in own]
        if draw.random() < 0.3:
            continue
        volume = int(draw.paretovariate(0.9) * 20)
        found = sorted({query for text in asked for query in _queries(text, stops, language, draw)})
        draw.shuffle(found)
        shown = clicks = positions = 0
        for rank, query in enumerate(found[:12], start=1):
            impressions = max(1, volume // rank)
            position = draw.uniform(1, 30)
            clicked = sum(draw.random() < 0.3 / position for _ in range(min(impressions, 2_000)))
            pairs.append(Pair(query, url, clicked, impressions, round(position * impressions)))
            shown, clicks, positions = shown + impressions, clicks + clicked, positions + pairs[-1].positions
        if shown:
            searched.append(SearchedPage(url, clicks + clicks // 4, shown + shown // 3, positions + shown // 3 * 20))
    pairs.sort(key=lambda pair: (-pair.clicks, -pair.impressions, pair))
    return Data(searched, pairs[:MOST_PAIRS], crawled)


def _texts(path: Path) -> list[str]:
    """The title of a page, "" where it has none, and its first headings."""
    tree = LexborHTMLParser(path.read_bytes())
    title = tree.css_first("title")
    return [one_space(title.text()) if title else "", *(one_space(node.text()) for node in tree.css("h1, h2, h3")[:12])]


def _parts(title: str) -> list[str]:
    return re.split(r" [-|–—] |: ", title)


def _queries(text: str, stops: frozenset[str], language: str, draw: random.Random) -> list[str]:
    """What people might type who look for a text: its words, some of them, and questions."""
    words = [word for word in _WORD.findall(fold(_NUMBER.sub("", text))) if word not in stops][:LONGEST_QUERY]
    if not words:
        return []
    found = [" ".join(words)]
    if len(words) > 2:
        at = draw.randrange(len(words) - 1)
        found.append(" ".join(words[at : at + 2]))
    if draw.random() < 0.2:
        found.append(draw.choice(_ASKED.get(language, _ASKED["en"])).format(" ".join(words[:2])))
    return found


def shown(found: Topics, count: int) -> str:
    """Topics in a few lines each."""
    lines = []
    for number, topic in enumerate([one for one in found.topics if one.page_count > 1][:count], start=1):
        queries = ", ".join(one.query for one in topic.queries[:4])
        pages = ", ".join(page.url.partition("://")[2].partition("/")[2] for page in topic.pages[:4])
        lines.append(
            f"{number}. {topic.name} ({topic.name_from}; {topic.section}; {topic.page_count} pages, {topic.clicks}"
            f" clicks) words: {', '.join(topic.words)}\n   queries: {queries}\n   pages: {pages}"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--host", required=True)
    parser.add_argument("--language", default="en")
    parser.add_argument("--pattern", default="*.html")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--topics", type=int, default=25)
    options = parser.parse_args()
    data = made(options.folder, options.host, seed=options.seed, language=options.language, pattern=options.pattern)
    found = topics(data.searched, data.pairs, data.crawled, [options.host.partition(".")[0]])
    sys.stdout.write(f"seed {options.seed}: {len(data.crawled)} pages, {len(data.pairs)} pairs\n")
    sys.stdout.write(shown(found, options.topics) + "\n")


if __name__ == "__main__":
    main()
