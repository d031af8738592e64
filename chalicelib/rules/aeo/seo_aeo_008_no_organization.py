"""SEO-AEO-008: the website does not name its owner in structured data."""

from chalicelib.rules.context import Site
from chalicelib.rules.manuals import is_manual
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.wording import listed


def has_data(site: Site) -> bool:
    """Whether the home page was read."""
    home = site.addresses.get(site.home_url)
    return home is not None and home.readable


def check(site: Site) -> PageVerdict:
    if site.addresses[site.home_url].has_organization:
        return None
    about = [address for address in site.readable() if address.kind.kind == "about"]
    if any(address.has_organization for address in about):
        return None
    assert site.home is not None
    if site.home.person is not None:
        return None
    found = site.home.organization or {}
    if not found and is_manual(site.home):
        return NOT_APPLICABLE
    looked = "the home page" if not about else "the home page or the about page"
    if found:
        missing = listed([name for name in ("name", "url") if not found.get(name)])
        return Finding(
            f"The Organization in the structured data of the home page has no {missing}; add it.",
            {"organization": dict(found), "looked": [site.home_url, *sorted(address.url for address in about)]},
        )
    return Finding(
        f"The structured data of {looked} has no Organization or LocalBusiness with name and url. Add one to the home "
        "page as JSON-LD. If the website belongs to one person, add a Person.",
        {"organization": None, "looked": [site.home_url, *sorted(address.url for address in about)]},
    )


RULE = Rule(
    id="SEO-AEO-008",
    title="No Organization or LocalBusiness schema",
    category="AEO",
    severity="medium",
    confidence="certain",
    scope="site",
    population="site",
    weight=12,
    effort="medium",
    writable_field=None,
    what="Neither the home page nor an about page describes the website's organisation in structured data. The data "
    "must have at least the organisation's name and web address.",
    why="From this data search engines and assistants learn who publishes the website. They can distinguish the "
    "publisher from others of the same name, and name the website in answers.",
    fix="Add a JSON-LD block of the type Organization (or a subtype, such as LocalBusiness) with name and url to the "
    "home page. On the website of one person, add Person with name and url. Most SEO plugins have a form for it.",
    not_when="A home page that could not be read is not judged. Manuals (as in SEO-AEO-011) are not "
    "judged, because their owner has a website elsewhere. Subtypes, such as Restaurant, "
    "count. A Person in the JSON-LD of the home page counts too, if it is no part of another thing, belongs to a "
    "ProfilePage, or is the author or publisher of the WebSite or Blog. Authors of single articles do not count.",
    source="schema.org; search engines' documentation of Organization structured data.",
    site_check=check,
    has_data=has_data,
)
