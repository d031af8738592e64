"""Language versions that sitemaps name. Search engines treat them like language versions that the page itself names."""

from collections.abc import Mapping, Sequence

from chalicelib.domain.page.facts import Hreflang, PageFacts, SiteFacts

Versions = Sequence[tuple[str, str]]  # of one page: (language as written, address)


def of_site(site: SiteFacts) -> dict[str, Versions]:
    """Return the language versions that the website's sitemaps name, by the address of the page."""
    return dict(site.sitemap_languages)


def add_to(facts: PageFacts, languages: Mapping[str, Versions]) -> None:
    """Add the language versions that only sitemaps name to the facts of a page that answers."""
    versions = languages.get(facts.url) if languages else None
    if not versions or facts.status != 200 or not facts.is_html:
        return
    named = {(alternate.lang.lower(), alternate.url) for alternate in facts.hreflang}
    facts.hreflang += [
        Hreflang(language, url, "sitemap") for language, url in versions if (language.lower(), url) not in named
    ]
