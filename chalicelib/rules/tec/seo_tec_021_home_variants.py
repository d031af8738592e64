"""SEO-TEC-021: the home page answers at several spellings of its address."""

from chalicelib.domain.crawl.urls import origin
from chalicelib.rules.context import Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import listed


def has_data(site: Site) -> bool:
    return any(probe.question == "variant" for probe in site.facts.probes)


def check(site: Site) -> PageVerdict:
    main = origin(site.home_url)
    open_ones = [
        probe.url
        for probe in site.facts.probes
        if probe.question == "variant"
        and probe.status == 200
        and probe.error is None
        and (probe.canonical is None or origin(probe.canonical) != main)
    ]
    if not open_ones:
        return None
    answer = "answers" if len(open_ones) == 1 else "answer"
    return Finding(
        f"{listed(open_ones)} {answer} 200 and {'does' if len(open_ones) == 1 else 'do'} not redirect to "
        f"{site.home_url}. Redirect every other spelling to it with a 301.",
        {"home": site.home_url, "variants": open_ones},
    )


RULE = Rule(
    id="SEO-TEC-021",
    title="http and https or www and non-www both answer 200",
    category="TEC",
    severity="high",
    confidence="certain",
    scope="site",
    population="site",
    weight=10,
    effort="medium",
    writable_field=None,
    what="The home page answers 200 with and without https, or with and without www. Neither address redirects to the "
    "other or names it as canonical.",
    why="Search engines see two websites with the same pages, so links and signals are split between them. Visitors "
    "over http are not protected.",
    fix="Choose one of these addresses and redirect the others to it with a 301, in the server, the CDN or the "
    "host's settings.",
    not_when="An address is fine if it redirects, does not exist, or names the main address as canonical. For "
    "websites on a subdomain or on their own port, no address with www is tried.",
    source="Search engines' documentation on duplicate addresses and on moving to https.",
    site_check=check,
    has_data=has_data,
)
