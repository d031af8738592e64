"""Tables of SEO-TEC-012."""

from chalicelib.domain.page.facts import LINK_NOFOLLOW
from tests.rules.builders import Case, address, case, links, page, robots, site_facts, synced

PRIVATE = site_facts(robots=robots("User-agent: *\nDisallow: /private/\n"))


def linked(path: str, rules: str) -> Case:
    """An address that a page links and that these lines disallow."""
    site = site_facts(robots=robots(f"User-agent: *\n{rules}\n"))
    return case(page(path), page("/"), page("/b", links=links(path)), asked=False, site=site)


FAILS = {
    "a linked page": case(
        page("/private/list"),
        page("/b", links=links("/private/list")),
        asked=False,
        site=PRIVATE,
        seen={"lineNumber": 2, "line": "Disallow: /private/", "linkingPages": 1, "linkedFrom": [address("/b")]},
        says="1 page links",
    ),
    "disallowed for Google alone, and read": case(
        page("/private/list"),
        page("/b", links=links("/private/list")),
        site=site_facts(robots=robots("User-agent: Googlebot\nDisallow: /private/\n")),
    ),
    "an address with parameters in a closed folder": linked("/private/list?id=3", "Disallow: /private/"),
}
PASSES = {
    "not disallowed": case(page("/a"), page("/b", links=links("/a")), site=PRIVATE),
    "not linked": case(page("/private/list"), page("/b"), asked=False, site=PRIVATE),
    "linked with nofollow only": case(
        page("/private/list"), page("/b", links=links("/private/list", flags=LINK_NOFOLLOW)), asked=False, site=PRIVATE
    ),
    "administration": linked("/wp-admin/post.php", "Disallow: /wp-admin/"),
    "a log-in page": linked("/login", "Disallow: /login"),
    "a basket": linked("/warenkorb/", "Disallow: /warenkorb"),
    "a search": linked("/search?q=tent", "Disallow: /search"),
    "an action": linked("/product?add-to-cart=7", "Disallow: /*add-to-cart="),
    "a wiki's editor": linked("/w/index.php?title=Tent&action=edit", "Disallow: /w/"),
    "a sorted list": linked("/list?sort=price", "Disallow: /*?sort="),
    "a filter of a page that may be read": linked("/list?colour=red", "Disallow: /*?"),
    "set to noindex too, which is SEO-TEC-010": case(
        page("/private/list"),
        page("/b", links=links("/private/list")),
        asked=False,
        site=PRIVATE,
        inputs={"content": synced("/private/list", noindex=True)},
    ),
}
NOT_APPLICABLE = {
    "the whole website is closed, which is SEO-TEC-001": linked("/a", "Disallow: /"),
    "robots.txt fails": case(
        page("/a"), page("/b", links=links("/a")), asked=False, site=site_facts(robots=robots("", 503))
    ),
    "an image": case(page("/private/a.jpg"), page("/b", links=links("/private/a.jpg")), asked=False, site=PRIVATE),
}
TABLES = {"SEO-TEC-012": (FAILS, PASSES, NOT_APPLICABLE)}
