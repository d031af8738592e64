"""SEO-TEC-028: the same page under addresses that differ in tracking or sorting parameters."""

from collections import defaultdict

from chalicelib.domain.page.text import MIN_WORDS_TO_COMPARE
from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.parameters import plain


def parameter_duplicates(site: Site) -> dict[str, str]:
    """Return each address that repeats the text of another address, with that other address.

    The other address is the one without parameters. If there is none, it is the shortest.
    """
    alike: dict[tuple[str, str], list[str]] = defaultdict(list)
    varied = {plain(address.url) for address in site.indexable() if plain(address.url) != address.url}
    for address in site.indexable():
        if address.text_hash and address.canonical_is_self and (base := plain(address.url)) in varied:
            alike[base, address.text_hash].append(address.url)
    found: dict[str, str] = {}
    for (base, _), members in alike.items():
        kept = base if base in members else min(members, key=lambda url: (len(url), url))
        found.update((url, kept) for url in members if url != kept)
    return found


def check(page: Page, site: Site) -> PageVerdict:
    if "?" not in page.url:
        return None
    kept = site.once(parameter_duplicates).get(page.url)
    if kept is None:
        return None
    return Finding(
        f"The page is the same as {kept}, word for word, and both may be indexed. Name {kept} as the canonical "
        "address, and link it without these parameters.",
        {"sameAs": kept, "wanted": kept},
    )


RULE = Rule(
    id="SEO-TEC-028",
    title="Parameter URLs indexable duplicates",
    category="TEC",
    severity="medium",
    confidence="likely",
    scope="page",
    population="indexable",
    weight=8,
    effort="medium",
    writable_field="canonical",
    what="Two or more addresses differ only in parameters for tracking or sorting (utm_source, gclid, sort, …). They "
    "may be indexed, have the same text, and name no common canonical address.",
    why="Search engines read the same page again and again, split its ranking signals, and may show the address with "
    "the parameters.",
    fix="Let the template name the address without these parameters as canonical. Use that address in the website's "
    "own links.",
    not_when="Parameters that choose the content (a product, a page number, a filter) do not count. The address to "
    f"keep is not reported. Texts below {MIN_WORDS_TO_COMPARE} words are left out. Pages reported here are not "
    "reported by SEO-CON-002.",
    source="Search engines' documentation on duplicate addresses. This service made the list of parameters.",
    page_check=check,
)
