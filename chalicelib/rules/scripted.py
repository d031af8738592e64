"""Pages with content that only scripts add. If scripts are the cause of missing content, other rules do not
report it."""

from typing import Literal

from chalicelib.domain.page.rendered import Told, needs_scripts
from chalicelib.rules.context import Page, Site
from chalicelib.rules.own_text import LEAST_OWN

SeenIn = Literal["browser", "html"]


def rendered(page: Page, site: Site) -> Told | None:
    """Return how much content the page has in a browser. Returns None if the page is not in the rendered sample."""
    return None if site.rendered is None else site.rendered.get(page.url)


def before_scripts(page: Page) -> Told:
    """Return how much content the server's HTML has."""
    return Told(page.facts.words, len(page.facts.links))


def scripts_bring_content(page: Page, site: Site) -> SeenIn | None:
    """Return the source from which it is known that only scripts add the page's content.

    - ``browser``: the page in a browser has content that the server's HTML lacks.
    - ``html``: the page was not rendered, and its HTML contains only scripts.

    Returns None if the server sends the content, or if nothing is known.
    """
    after = None if site.rendered is None else site.rendered.get(page.url)
    if after is not None:
        return "browser" if needs_scripts(before_scripts(page), after) else None
    return "html" if page.address.shell else None


def scripts_fill_list(page: Page, site: Site) -> bool:
    """Whether the page is hardly more than a list of links, and scripts fill the list in.

    Returns False for a page that was rendered, because ``scripts_bring_content`` is more accurate for such a page.
    """
    return page.facts.fills_list and page.address.own_words < LEAST_OWN and rendered(page, site) is None


def has_unknown_entries(site: Site) -> bool:
    """Whether scripts fill in a list whose entries are unknown. They are unknown if the scripts name no known page of
    the website."""
    known = {hash(address.url) for address in site.readable()} if site.filled_lists else set()
    return any(named.isdisjoint(known) for named in site.filled_lists)
