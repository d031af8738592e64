"""SEO-TEC-003: an address that answers with a server error."""

from typing import Final

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import UNDECIDED, Finding, PageVerdict, Rule
from chalicelib.rules.wording import linked_from, spelled

TRIES: Final = 2  # the crawler waits at least two seconds between tries


def check(page: Page, site: Site) -> PageVerdict:
    status = page.status
    if status < 500:
        return None
    if page.address.tries < TRIES:
        return UNDECIDED
    count, linking = site.linking(page.url)
    return Finding(
        f"The address answers with a server error ({status}) on {page.address.tries} tries; {linked_from(count)}. "
        "It should answer 200, or 404 or 410 when it is gone.",
        {"status": status, "tries": page.address.tries, "linkingPages": count, "linkedFrom": linking},
    )


RULE = Rule(
    id="SEO-TEC-003",
    title="Page returns 5xx",
    category="TEC",
    severity="critical",
    confidence="certain",
    scope="page",
    population="asked",
    weight=60,
    effort="medium",
    writable_field=None,
    what=f"The address answers with a status of 500 or above, on {spelled(TRIES)} tries at least two seconds apart. "
    "Linked documents, archives and image files count too.",
    why="Visitors see an error. Search engines slow down their crawling when a server fails, and drop pages that "
    "keep failing.",
    fix="Look into the server's error log for the time of the audit. The usual causes are a plugin, a database limit "
    "or a timeout of the hosting.",
    not_when="An error that disappeared on the second try is not reported. Addresses that were tried once are not "
    "reported.",
    source="HTTP semantics (RFC 9110): 5xx says that the server failed.",
    page_check=check,
    cause=("own_address",),
)
