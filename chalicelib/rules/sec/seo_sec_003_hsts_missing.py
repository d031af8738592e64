"""SEO-SEC-003: the website does not tell browsers to always use https (no HSTS header)."""

import re
from typing import Final

from chalicelib.domain.page.headers import first_of
from chalicelib.rules.context import Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.wording import quoted

_SWITCHED_OFF: Final = re.compile(r'max-age\s*=\s*"?0+"?\s*(?:;|,|$)', re.IGNORECASE)
WANTED: Final = "Strict-Transport-Security: max-age=31536000"


def has_data(site: Site) -> bool:
    """Whether the home page answered."""
    return site.home is not None and site.home.status == 200


def check(site: Site) -> PageVerdict:
    home = site.home
    if home is None or not home.url.startswith("https://"):
        return NOT_APPLICABLE
    header = first_of(home.headers, "strict-transport-security")
    if header and not _SWITCHED_OFF.search(header):
        return None
    if header:
        return Finding(
            f"Strict-Transport-Security of the home page says {quoted(header)}, which switches it off; send {WANTED}.",
            {"header": header},
        )
    return Finding(f"The home page sends no Strict-Transport-Security header; send {WANTED}.", {"header": None})


RULE = Rule(
    id="SEO-SEC-003",
    title="HSTS missing",
    category="SEC",
    severity="low",
    confidence="certain",
    scope="site",
    population="site",
    weight=3,
    effort="low",
    writable_field=None,
    what="The home page is served on https, but without the Strict-Transport-Security header.",
    why="Without the header, the first visit may still go over http and be intercepted before the redirect to https.",
    fix=f'Let the server or CDN send "{WANTED}" (one year) once all of the website works on https.',
    not_when="A website on http is reported by SEO-SEC-001 instead. A home page that could not be read is not judged.",
    source="RFC 6797, HTTP Strict Transport Security (HSTS).",
    site_check=check,
    has_data=has_data,
)
