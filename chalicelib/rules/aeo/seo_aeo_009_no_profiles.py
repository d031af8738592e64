"""SEO-AEO-009: an organisation whose structured data names no profiles on other websites."""

from chalicelib.domain.crawl.urls import same_site
from chalicelib.rules.context import Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.wording import listed


def has_data(site: Site) -> bool:
    """Whether the home page was read."""
    home = site.addresses.get(site.home_url)
    return home is not None and home.readable


def check(site: Site) -> PageVerdict:
    home = site.addresses[site.home_url]
    pages = [home, *(address for address in site.readable() if address.kind.kind == "about")]
    described = [address for address in pages if address.has_organization]
    if not described:
        return NOT_APPLICABLE  # SEO-AEO-008 reports that
    profiles = [url for address in described for url in address.identity.same_as if not same_site(url, site.host)]
    if any(not _broken(url, site) for url in profiles):
        return None
    name = described[0].identity.name
    if profiles:
        return Finding(
            f"None of the profiles that {name} names as sameAs can be reached: {listed(sorted(set(profiles))[:3])}. "
            "Correct the addresses.",
            {"organization": name, "profiles": sorted(set(profiles)), "url": described[0].url},
        )
    return Finding(
        f"The structured data of {name} names no profile on another website; add sameAs with the addresses of its "
        "profiles, such as Wikipedia, Wikidata, LinkedIn or a business directory.",
        {"organization": name, "profiles": [], "url": described[0].url},
    )


def _broken(url: str, site: Site) -> bool:
    """Whether a profile was requested and does not exist."""
    address = site.addresses.get(url)
    return address is not None and address.broken


RULE = Rule(
    id="SEO-AEO-009",
    title="Organization has no sameAs",
    category="AEO",
    severity="low",
    confidence="certain",
    scope="site",
    population="site",
    weight=6,
    effort="low",
    writable_field=None,
    what="The organisation in the structured data of the home page or an about page has no sameAs with a profile on "
    "another website. Or none of these profiles can be found.",
    why="With profiles on other websites, search engines and assistants can distinguish organisations of the same "
    "name, and check what the website says about itself.",
    fix="Add sameAs with the addresses of the organisation's own profiles. Most SEO plugins have fields for them.",
    not_when="If the structured data names no organisation, SEO-AEO-008 reports it instead. A profile that "
    "the audit did not request counts as existing.",
    source="schema.org/sameAs; search engines' documentation of Organization structured data.",
    site_check=check,
    has_data=has_data,
)
