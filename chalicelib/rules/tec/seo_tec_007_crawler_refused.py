"""SEO-TEC-007: the website turns the crawler away."""

from collections import Counter
from typing import Final

from chalicelib.domain.audit.score import REFUSED_SHARE
from chalicelib.rules.context import REFUSED, Address, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import codes, counted

LEAST_SHARE: Final = REFUSED_SHARE  # of the addresses asked for; from here on the score is less certain too
SHOWN: Final = 10
# Titles of pages that firewalls show in place of the one asked for.
_CHALLENGES: Final = (
    "just a moment...",
    "attention required! | cloudflare",
    "please wait... | cloudflare",
    "ddos-guard",
    "pardon our interruption",
    "access to this page has been denied",
    "human verification",
    "robot or human?",
    "one moment, please...",
    "checking your browser",
    "bot verification",
)


def is_challenge(address: Address) -> bool:
    """Whether a firewall's question came in place of the page."""
    return address.status == 200 and address.title.strip().lower().startswith(_CHALLENGES)


def has_data(site: Site) -> bool:
    return bool(site.read)


def check(site: Site) -> PageVerdict:
    asked = [site.addresses[url] for url in sorted(site.read)]
    refused = [address for address in asked if address.status in REFUSED or is_challenge(address)]
    if not refused or len(refused) < LEAST_SHARE * len(asked):
        return None
    kinds = Counter("challenge" if address.status == 200 else str(address.status) for address in refused)
    kind, number = kinds.most_common(1)[0]
    seen = "a page that asks whether a person is there" if kind == "challenge" else f"status {kind}"
    return Finding(
        f"{len(refused):,} of {counted(len(asked), 'address', 'addresses')} turned the crawler away, {number:,} of "
        f"them with {seen}, such as {refused[0].url}; allow the crawler's user agent in the firewall or CDN, or its "
        "findings and the score stay incomplete.",
        {
            "refused": len(refused),
            "asked": len(asked),
            "answers": dict(sorted(kinds.items())),
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
    weight=5,
    effort="medium",
    writable_field=None,
    what=f"At least {LEAST_SHARE:.0%} of the addresses asked for answered {codes(REFUSED, ' or ')}, or showed a "
    "firewall's challenge page.",
    why="What was refused could not be judged, so the audit is less reliable. A firewall that stops this crawler often "
    "stops search engines and assistants too.",
    fix="Allow the crawler's user agent (or its addresses) in the firewall, the security plugin or the CDN's bot "
    "protection, or let it ask more often before it is throttled.",
    not_when=f"Single refused pages, such as a members' area, do not count while they are below {LEAST_SHARE:.0%} of "
    "all. Refused pages are never counted as faults of their content; they lower the confidence of the score instead.",
    source=f"The {LEAST_SHARE:.0%} are ours, the same as in the score's confidence.",
    site_check=check,
    whole_website=True,
    has_data=has_data,
)
