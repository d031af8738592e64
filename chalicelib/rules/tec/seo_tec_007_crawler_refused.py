"""SEO-TEC-007: the website rejects the crawler."""

from collections import Counter
from typing import Final

from chalicelib.domain.audit.score import REFUSED_SHARE
from chalicelib.rules.context import REFUSED, Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.refusals import refusals
from chalicelib.rules.wording import codes, counted, quoted
from chalicelib.settings.crawl import crawl_settings

LEAST_SHARE: Final = REFUSED_SHARE  # share of the requested addresses; from here on the score is less certain too
SHOWN: Final = 10


def has_data(site: Site) -> bool:
    return bool(site.read)


def check(site: Site) -> PageVerdict:
    found = site.once(refusals)
    refused, asked = found.refused, found.asked
    if found.closes:
        return NOT_APPLICABLE
    if not refused or len(refused) < LEAST_SHARE * asked:
        return None
    kinds = Counter("challenge" if address.status == 200 else str(address.status) for address in refused)
    kind, number = kinds.most_common(1)[0]
    seen = f"status {kind}"
    if kind == "challenge":
        first = next(address for address in refused if address.status == 200)
        seen = f"another page instead, titled {quoted(first.title)}"
    agent = crawl_settings().user_agent
    return Finding(
        f"{len(refused):,} of {counted(asked, 'address', 'addresses')} turned the crawler away, {number:,} of them "
        f"with {seen}, such as {refused[0].url}. Allow the user agent {quoted(agent)} in the firewall or CDN; "
        "otherwise findings and score stay incomplete.",
        {
            "refused": len(refused),
            "asked": asked,
            "answers": dict(sorted(kinds.items())),
            "userAgent": agent,
            "examples": [address.url for address in refused[:SHOWN]],
        },
    )


RULE = Rule(
    id="SEO-TEC-007",
    title="Crawler refused",
    category="TEC",
    severity="medium",
    confidence="certain",
    scope="site",
    population="site",
    weight=0,
    effort="medium",
    writable_field=None,
    what=f"At least {LEAST_SHARE:.0%} of the requested addresses answered {codes(REFUSED, ' or ')}. Or they showed "
    "another page instead: a firewall's challenge, a refusal or a request for cookies.",
    why="Refused pages could not be judged, so the audit is less reliable. A firewall that stops this crawler often "
    "stops search engines and assistants too.",
    fix="Allow the crawler's user agent (or its addresses) in the firewall, the security plugin or the CDN's bot "
    "protection. If the crawler is throttled, raise its rate limit.",
    not_when=f"A few refused pages, such as a members' area, are not reported if they are less than {LEAST_SHARE:.0%} "
    "of all addresses. If most pages are refused, SEO-AEO-019 reports it. Refused pages lower the score's confidence, "
    "not the score.",
    source=f"This service set the limit of {LEAST_SHARE:.0%}, which is the same as in the score's confidence.",
    site_check=check,
    whole_website=True,
    has_data=has_data,
)
