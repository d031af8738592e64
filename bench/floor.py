"""A minimal crawler, as a lower bound: a Python crawler with the same libraries cannot cost less.

It fetches and parses pages, and extracts their titles and links.
"""

import asyncio
import sys
from urllib.parse import urljoin

import aiohttp
from selectolax.lexbor import LexborHTMLParser

from bench.measure import Meter, report

CONCURRENCY = 16


async def crawl(start: str) -> int:
    """Read every linked page. Returns the number of pages."""
    seen = {start}
    waiting: asyncio.Queue[str] = asyncio.Queue()
    waiting.put_nowait(start)
    titles: dict[str, str] = {}

    async def work(session: aiohttp.ClientSession) -> None:
        while True:
            url = await waiting.get()
            async with session.get(url) as response:
                body = await response.read()
                if response.status == 200:
                    tree = LexborHTMLParser(body)
                    title = tree.css_first("title")
                    titles[url] = title.text() if title is not None else ""
                    for node in tree.css("a[href]"):
                        target = urljoin(url, node.attributes["href"] or "")
                        if target not in seen:
                            seen.add(target)
                            waiting.put_nowait(target)
            waiting.task_done()

    connector = aiohttp.TCPConnector(limit=CONCURRENCY)
    async with aiohttp.ClientSession(connector=connector, headers={"Accept-Encoding": "gzip"}) as session:
        workers = [asyncio.create_task(work(session)) for _ in range(CONCURRENCY)]
        await waiting.join()
        for worker in workers:
            worker.cancel()
    return len(titles)


def main() -> None:
    meter = Meter()
    report(meter.cost(asyncio.run(crawl(sys.argv[1]))))


if __name__ == "__main__":
    main()
