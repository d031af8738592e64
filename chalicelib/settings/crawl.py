"""Settings of the crawler."""

from dataclasses import dataclass

from chalicelib.settings.reading import read, setting


@dataclass(frozen=True, slots=True)
class CrawlSettings:
    """The settings, as the unchanged text of their environment variables."""

    concurrency: str = setting("CRAWL_CONCURRENCY", "8", "requests at once to one host")
    user_agent: str = setting(
        "CRAWL_USER_AGENT",
        "Mozilla/5.0 (compatible; WebsiteOptimizationBot/1.0; +https://app.example.com/bot)",
        "the crawler's user agent; its robots.txt token is CRAWL_TOKEN",
    )
    token: str = setting("CRAWL_TOKEN", "WebsiteOptimizationBot", "the crawler's name in robots.txt")
    slice_seconds: str = setting("SLICE_SECONDS", "780", "how long a worker runs a crawl before the next continues it")


def crawl_settings() -> CrawlSettings:
    """Return the settings of the crawler."""
    return read(CrawlSettings)
