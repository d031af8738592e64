"""SEO-TEC-013: a page that names no canonical address, although it has two addresses or an address with parameters."""

from chalicelib.rules.con.seo_con_002_exact_duplicate import same_texts
from chalicelib.rules.context import Page, Site
from chalicelib.rules.index_files import without_index_file
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.tec.seo_tec_028_parameter_duplicates import parameter_duplicates
from chalicelib.rules.wording import listed, quoted


def copies_of(site: Site) -> dict[str, list[str]]:
    """Return the other addresses of each page that answers at several addresses, such as at its folder's index file."""
    found: dict[str, list[str]] = {}
    for address in site.addresses.values():
        if address.same_as is not None and address.canonical is None:
            found.setdefault(address.same_as, []).append(address.url)
    return {url: sorted(copies) for url, copies in found.items()}


def check(page: Page, site: Site) -> PageVerdict:
    if any(written or absolute for written, absolute, _ in page.facts.canonicals):
        return None
    copies = site.once(copies_of).get(page.url)
    if copies is not None:
        folder = without_index_file(page.url)  # the home page may be judged at its index file
        kept = folder if folder in copies else page.url
        return Finding(
            f"The page answers at {page.url} and at {listed(copies)}, and names no canonical address; name {kept} "
            "there, and let all links lead to it.",
            {"copies": copies},
        )
    if "?" not in page.url:
        return None
    # If another page has the same text, the duplicate is the cause, and one finding is enough.
    if page.url in site.once(parameter_duplicates) or page.url in site.once(same_texts):
        return None
    parameters = page.url.partition("?")[2]
    return Finding(
        f"The address has parameters ({quoted(parameters)}), and the page names no canonical address; name the address "
        f"under which it should be found, {page.url} or one without parameters.",
        {"parameters": parameters},
    )


RULE = Rule(
    id="SEO-TEC-013",
    title="Canonical missing",
    category="TEC",
    severity="low",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=3,
    effort="low",
    writable_field="canonical",
    what="The page names no canonical address in its HTML or its Link header, although it may be found under several "
    "addresses. Its address has parameters. Or the page also answers at the address of its index file, such as "
    "/index.html beside /, or with a stray second question mark, such as /list.html??, and a link leads there.",
    why="Parameters come in any order and number. Search engines may find the same page under many addresses, and "
    "choose one of them.",
    fix='Add <link rel="canonical" href="…"> with the address under which the page should be found. SEO plugins and '
    "shop systems do that automatically.",
    not_when="Other addresses without parameters need no canonical address. Pages with the same text as another one "
    "are reported by SEO-CON-002 or SEO-TEC-028 instead.",
    source="RFC 6596; search engines' documentation on canonical addresses.",
    page_check=check,
    cause=("template",),
)
