"""SEO-TEC-006: an address that does not answer in time."""

from typing import Final

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import UNDECIDED, Finding, PageVerdict, Rule
from chalicelib.rules.wording import linked_from, spelled

TRIES: Final = 2
SECONDS: Final = 20  # seconds that the crawler waits for a complete answer


def check(page: Page, site: Site) -> PageVerdict:
    address = page.address
    if address.error != "timeout":
        return None
    if address.tries < TRIES:
        return UNDECIDED
    count, linking = site.linking(page.url)
    return Finding(
        f"There was no complete answer in {SECONDS} seconds, on {address.tries} tries; {linked_from(count)}. "
        "Find out what keeps the server busy, and let it answer within a second.",
        {"seconds": SECONDS, "tries": address.tries, "linkingPages": count, "linkedFrom": linking},
    )


RULE = Rule(
    id="SEO-TEC-006",
    title="Page timed out",
    category="TEC",
    severity="high",
    confidence="certain",
    scope="page",
    population="crawled",
    weight=20,
    effort="medium",
    writable_field=None,
    what=f"The address gave no complete answer within {SECONDS} seconds, on {spelled(TRIES)} tries at least two "
    "seconds apart.",
    why="Visitors do not wait so long. Search engines give up, come back less often, and drop pages that keep "
    "timing out.",
    fix="Look into the server's log for this address. Slow database queries, calls to other services and missing "
    "caches are the usual causes. If nobody needs the page, remove the links to it.",
    not_when="One slow answer among good ones does not count. Pages that are slow but complete are reported by "
    "SEO-PRF-004.",
    source=f"This service set the limits of {SECONDS} seconds and {spelled(TRIES)} tries. Search engines publish no "
    "limit.",
    page_check=check,
    link_rule=True,
    cause=("own_address",),
)
