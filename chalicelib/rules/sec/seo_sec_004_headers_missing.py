"""SEO-SEC-004: the home page lacks headers that protect visitors."""

from typing import Final

from chalicelib.rules.context import Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import listed

# By header, a first value that breaks no website. (``upgrade-insecure-requests`` would break a website on http.)
WANTED: Final = {
    "Content-Security-Policy": "frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin-when-cross-origin",
}


def has_data(site: Site) -> bool:
    """Whether the home page answered."""
    return site.home is not None and site.home.status == 200


def check(site: Site) -> PageVerdict:
    assert site.home is not None
    missing = [name for name in WANTED if not site.home.headers.get(name.lower(), "").strip()]
    if not missing:
        return None
    return Finding(
        f"The home page is sent without {listed(missing)}; send {'it' if len(missing) == 1 else 'them'}, for example "
        f'"{missing[0]}: {WANTED[missing[0]]}".',
        {"missing": missing, "wanted": {name: WANTED[name] for name in missing}},
    )


RULE = Rule(
    id="SEO-SEC-004",
    title="CSP, X-Content-Type-Options or Referrer-Policy missing",
    category="SEC",
    severity="low",
    confidence="certain",
    scope="site",
    population="site",
    weight=2,
    effort="medium",
    writable_field=None,
    what="The home page is sent without one or more of the headers Content-Security-Policy, X-Content-Type-Options and "
    "Referrer-Policy.",
    why="Content-Security-Policy limits injected scripts, X-Content-Type-Options stops browsers from guessing file "
    "types, and Referrer-Policy hides full addresses from other websites. The headers protect visitors; search does "
    "not depend on them.",
    fix="Let the server or CDN send the headers with every page. Begin with a permissive Content-Security-Policy, "
    "watch its reports, and tighten it.",
    advice={
        "Content-Security-Policy": "Begin with frame-ancestors 'self'; add upgrade-insecure-requests when all is on "
        "https.",
        "X-Content-Type-Options": "Send nosniff.",
        "Referrer-Policy": "Send strict-origin-when-cross-origin.",
    },
    not_when="A home page that could not be read is not judged. Policies in <meta> do not count, because they cannot "
    "replace all of these headers.",
    source="W3C Content Security Policy and Referrer Policy; the WHATWG Fetch standard (nosniff).",
    site_check=check,
    has_data=has_data,
)
