"""What the examples of more than one group show: one website, its last audit, one issue on one page."""

from typing import Final

SITE: Final = "site_01KA9Q0V3NQ5F7Z8Y6X4W2T1R0"
AUDIT: Final = "crawl_01KB2Z6A7B8C9D0E1F2G3H4J5K"
ISSUE: Final = "iss_3V7ZQK1M9TX4R8D2N6P0WJ5YBC"
BATCH: Final = "batch_01KB3D1N8Q4W6E2R9T5Y7U0ZKA"
PAGE: Final = "page_6J2HX0T8QW4N9R5Z1K7M3VYDPB"
APP: Final = "https://app.example.com"
API: Final = "https://api.example.com/api/v1"
SHOP: Final = "https://shop.example.com"
TEST_BUDGET: Final = {"perDay": 25, "usedToday": 4, "left": 21, "nextFreeAt": None}
COVERAGE: Final = {"sitemapUrls": 420, "sitemapCrawled": 412, "percent": 98.1}
EVIDENCE: Final = {
    "message": "The title has 84 characters; search results show about 60.",
    "title": "Hiking boots, winter boots, trail boots and more boots for women, men and children",
}
# Beside a list that is shown to its end.
WHOLE = {"offset": 0, "nextOffset": None, "truncated": False}
