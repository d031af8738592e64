"""Pages whose content only scripts bring. Where scripts are the cause, other rules say nothing of what is missing."""

from typing import Literal

from chalicelib.domain.page.rendered import Told, needs_scripts
from chalicelib.rules.context import Page, Site
from chalicelib.rules.own_text import LEAST_OWN

SeenIn = Literal["browser", "html"]


def rendered(page: Page, site: Site) -> Told | None:
    """The page's text in a browser; None if it is not in the rendered sample."""
    return None if site.rendered is None else site.rendered.get(page.url)


def before_scripts(page: Page) -> Told:
    """How much the page says as the server sent it."""
    return Told(page.facts.words, len(page.facts.links))


def scripts_bring_content(page: Page, site: Site) -> SeenIn | None:
    """Where it was seen that only scripts bring the page's content: in a browser, or in HTML that has nothing but
    scripts. None: the server sends the content, or nothing is known."""
    after = None if site.rendered is None else site.rendered.get(page.url)
    if after is not None:
        return "browser" if needs_scripts(before_scripts(page), after) else None
    return "html" if page.address.shell else None


def scripts_fill_list(page: Page, site: Site) -> bool:
    """Whether the page is hardly more than a list of links that scripts fill in. A rendered page is known better: see
    ``scripts_bring_content``."""
    return page.facts.fills_list and page.address.own_words < LEAST_OWN and rendered(page, site) is None


def has_unknown_entries(site: Site) -> bool:
    """Whether scripts fill in a list whose entries are unknown: they name no other page of the website."""
    known = {hash(address.url) for address in site.readable()} if site.filled_lists else set()
    return any(named.isdisjoint(known) for named in site.filled_lists)
