"""SEO-TEC-040: a home page without content that only forwards visitors."""

from typing import Final

from chalicelib.rules.context import Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule

FEWEST_WORDS: Final = 50  # a page with more words shows something before it forwards


def check(site: Site) -> PageVerdict:
    home = site.home
    address = site.addresses.get(site.home_url)
    if home is None or address is None or not address.readable:
        return NOT_APPLICABLE
    if home.forwards and home.meta_refresh is not None:
        target, how = home.meta_refresh, "a refresh"
    elif home.script_forward not in (None, home.url) and home.words < FEWEST_WORDS:
        target, how = home.script_forward or "", "a script"
    else:
        return None
    return Finding(
        f"The home page shows nothing of its own and sends browsers to {target} by {how}; answer with a redirect "
        "(301 or 308), or show the page here.",
        {"leadsTo": target, "by": "refresh" if how == "a refresh" else "script"},
    )


RULE = Rule(
    id="SEO-TEC-040",
    title="Home page only forwards",
    category="TEC",
    severity="medium",
    confidence="likely",
    scope="site",
    population="site",
    weight=6,
    effort="medium",
    writable_field=None,
    what="The home page answers 200 with a page that immediately sends browsers to another address. It uses a refresh "
    f"in its HTML or its header, or a script on a page of fewer than {FEWEST_WORDS} words.",
    why="Most links from other websites lead to the home page. Search engines treat a refresh as a slow redirect, and "
    "follow a script late or never. Assistants see an empty page.",
    fix="Let the server redirect the home page with 301 or 308, or show its content at this address. For languages, "
    "show one language here and link the others with hreflang.",
    not_when="A home page that redirects by its status is left out. A home page that shows content for a while before "
    "it forwards is left out too.",
    source="Search engines' documentation on redirects. This service set the number of words.",
    site_check=check,
)
