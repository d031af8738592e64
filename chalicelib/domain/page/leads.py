"""The addresses of the website to which a page links or forwards."""

from collections.abc import Iterator

from chalicelib.domain.crawl import urls
from chalicelib.domain.page.facts import LINK_NOFOLLOW, PageFacts


def leads_of(facts: PageFacts, host: str) -> Iterator[str]:
    """Yield the addresses on ``host`` to which a page links or forwards.

    The order is: links that may be followed, frames, redirects, canonical addresses, language versions. An address may
    occur several times, and it may be a file.
    """
    for link in facts.links:
        if not link.flags & LINK_NOFOLLOW:
            yield link.url
    targets = [*facts.frames, facts.meta_refresh, facts.redirect_to]
    targets += [absolute for _, absolute, _ in facts.canonicals]
    targets += [alternate.url for alternate in facts.hreflang]
    for target in targets:
        if target and urls.same_site(target, host):
            yield target
