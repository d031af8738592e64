"""SEO-ONP-011: several pages with the same meta description."""

from collections import Counter

from chalicelib.rules.con.seo_con_003_near_duplicate import kept_texts
from chalicelib.rules.context import Page, Site
from chalicelib.rules.duplicates import Group, groups
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import counted, quoted


def same_descriptions(site: Site) -> dict[str, Group]:
    """Group the pages that compete in search because they have the same meta description."""
    return groups(site, lambda address: address.description_key, kept=site.once(kept_texts))


def shared_keys(site: Site) -> frozenset[int]:
    """Return ``Address.description_key`` of each description that this rule reports as shared by several pages."""
    return frozenset(site.addresses[url].description_key for url in site.once(same_descriptions))


def _carriers(site: Site) -> Counter[int]:
    """Count, for each description, the pages that compete in search with it. All copies and versions of a page are
    counted too."""
    return Counter(address.description_key for address in site.indexable() if address.canonical_is_self)


def check(page: Page, site: Site) -> PageVerdict:
    group = site.once(same_descriptions).get(page.url)
    if group is None or page.kind.certain.kind == "account":
        return None
    others = group.others(page.url)
    uncounted = page.site.once(_carriers)[page.address.description_key] - len(group.members)
    beside = f" (and {counted(uncounted, 'copy or version', 'copies or versions')} of these pages)" if uncounted else ""
    return Finding(
        f"{counted(len(group.members) - 1, 'other page has', 'other pages have')} the same meta description "
        f"{quoted(page.facts.description or '')}, such as {others[0]}{beside}; describe each page in its own words.",
        {"description": page.facts.description, "pages": len(group.members), "others": others},
    )


RULE = Rule(
    id="SEO-ONP-011",
    title="Meta description duplicated",
    category="ONP",
    severity="medium",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=6,
    effort="low",
    writable_field="meta_description",
    what="Two or more pages that may be indexed carry the same meta description. Letter case and spaces make no "
    "difference.",
    why="A description that fits several pages says nothing about any of them, and search engines then tend to "
    "ignore it.",
    fix="Write for each page what only that page offers. If you cannot, leave the description out: a snippet from the "
    "page is better than the same text everywhere.",
    not_when="Pages that name another page as canonical do not count. The pages of one paginated series count as one. "
    "Language versions that name each other with hreflang count as one too. Pages with the same text, word for word, "
    "are reported by SEO-CON-002 only, and pages with nearly the same text by SEO-CON-003. Log-in, basket and "
    "checkout pages are reported by SEO-CON-008.",
    source="Search engines' documentation on snippets asks for descriptions that differ from page to page.",
    page_check=check,
    cause=("template",),
)
