"""Language versions that sitemaps name, beside those of the page."""

from chalicelib.domain.page.facts import Hreflang, PageFacts, SiteFacts
from chalicelib.domain.page.sitemap_languages import add_to, of_site

HOME, GERMAN = "https://demo.test/", "https://demo.test/de/"
LANGUAGES = of_site(SiteFacts(HOME, "demo.test", sitemap_languages=[(HOME, [("en", HOME), ("de", GERMAN)])]))


def named(facts: PageFacts) -> list[tuple[str, str, str]]:
    add_to(facts, LANGUAGES)
    return [(one.lang, one.url, one.source) for one in facts.hreflang]


def test_languages_from_the_sitemap_are_added_once_and_marked() -> None:
    page = PageFacts(HOME, status=200, is_html=True, hreflang=[Hreflang("EN", HOME)])
    assert named(page) == [("EN", HOME, "html"), ("de", GERMAN, "sitemap")]


def test_error_answers_and_pages_that_the_sitemap_does_not_name_get_no_languages() -> None:
    for facts in (
        PageFacts(GERMAN, status=200, is_html=True),
        PageFacts(HOME, status=404),
        PageFacts(HOME, status=200),
    ):
        assert named(facts) == []
