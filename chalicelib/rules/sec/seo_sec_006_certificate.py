"""SEO-SEC-006: the website's certificate is not valid, or expires soon."""

from datetime import UTC, datetime
from typing import Final

from chalicelib.domain.crawl.urls import origin
from chalicelib.rules.context import Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.wording import counted

LEAST_DAYS: Final = 14
_DAY: Final = 86_400


def has_data(site: Site) -> bool:
    """Whether a certificate was received. An error without a certificate only means that the connection failed."""
    return site.facts.certificate_not_after is not None


def check(site: Site) -> PageVerdict:
    ends = site.facts.certificate_not_after
    if ends is None:
        return NOT_APPLICABLE
    error = site.facts.certificate_error
    host = origin(site.home_url).partition("://")[2]
    day = datetime.fromtimestamp(ends, UTC).date().isoformat()
    days_left = int((ends - site.now) // _DAY)
    seen = {"host": host, "notAfter": day, "daysLeft": days_left, "error": error}
    if ends <= site.now:
        return Finding(f"The certificate of {host} ran out on {day}; browsers show a warning. Renew it now.", seen)
    if error:
        return Finding(
            f"The certificate of {host} is not valid ({error}); browsers show a warning. Install one that names this "
            "host and is signed by a known authority.",
            seen,
        )
    if ends - site.now >= LEAST_DAYS * _DAY:
        return None
    return Finding(
        f"The certificate of {host} runs out on {day}, in {counted(days_left, 'day')}; renew it, and find out why it "
        "was not renewed by itself.",
        seen,
    )


RULE = Rule(
    id="SEO-SEC-006",
    title="Certificate expires soon or is not valid",
    category="SEC",
    severity="critical",
    confidence="certain",
    scope="site",
    population="site",
    weight=60,
    effort="low",
    writable_field=None,
    what=f"The certificate of the home page's host is not valid, or expires in less than {LEAST_DAYS} days. A "
    "certificate is not valid if it has expired, names another host, or is not signed by a known authority.",
    why="With an invalid certificate, browsers show visitors a warning page, and crawlers do not read the website.",
    fix="Renew the certificate. Most hosts renew it automatically 30 days before it expires. If yours did not, look "
    "for an error message of the renewal, a changed DNS record or a closed port.",
    not_when="Websites on http have no certificate (SEO-SEC-001). A host that the audit could not connect to is not "
    "judged.",
    source=f"RFC 5280, RFC 6125. This service set the limit of {LEAST_DAYS} days, half of the usual time for renewal.",
    site_check=check,
    has_data=has_data,
)
