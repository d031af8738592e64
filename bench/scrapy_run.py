"""Scrapy in common use: it follows every link, and extracts title, meta description and links. It checks no rules."""

import sys
from collections.abc import Iterator
from typing import Any

import scrapy
from scrapy.crawler import CrawlerProcess

from bench.measure import Meter, report

SETTINGS: dict[str, Any] = {
    "CONCURRENT_REQUESTS": 16,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "ROBOTSTXT_OBEY": False,
    "LOG_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
}


class Spider(scrapy.Spider):
    """Reads every page of one website."""

    name = "pages"
    read = 0

    def parse(self, response: Any, **_: Any) -> Iterator[Any]:
        Spider.read += 1
        links = response.css("a::attr(href)").getall()
        yield {
            "url": response.url,
            "title": response.css("title::text").get(),
            "description": response.css("meta[name=description]::attr(content)").get(),
            "links": len(links),
        }
        for link in links:
            yield response.follow(link)


def main() -> None:
    process = CrawlerProcess(SETTINGS)
    meter = Meter()
    process.crawl(Spider, start_urls=[sys.argv[1]])
    process.start()
    report(meter.cost(Spider.read))


if __name__ == "__main__":
    main()
