"""SEO-ONP-002: several pages with the same title."""

from chalicelib.domain.page.text import fold
from chalicelib.rules.con.seo_con_003_near_duplicate import kept_texts
from chalicelib.rules.context import Page, Site
from chalicelib.rules.duplicates import Group, groups
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import counted, quoted


def same_titles(site: Site) -> dict[str, Group]:
    """Group the pages that compete in search because they have the same title, in any letter case."""
    return groups(site, lambda address: address.title_digest or fold(address.title), kept=site.once(kept_texts))


def check(page: Page, site: Site) -> PageVerdict:
    group = site.once(same_titles).get(page.url)
    if group is None:
        return None
    others = group.others(page.url)
    return Finding(
        f"{counted(len(group.members) - 1, 'other page has', 'other pages have')} the same title "
        f"{quoted(page.facts.title or '')}, such as {others[0]}; each page needs a title of its own.",
        {"title": page.facts.title, "pages": len(group.members), "others": others},
    )


RULE = Rule(
    id="SEO-ONP-002",
    title="Title duplicated on other pages",
    category="ONP",
    severity="medium",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=18,
    effort="low",
    writable_field="title",
    what="Two or more pages that may be indexed carry the same title. Letter case, spaces and different encodings of "
    "a character are ignored.",
    why="Pages with the same title look alike in search results, so people and search engines cannot tell which one "
    "answers the question.",
    fix="Say in each title what only that page offers. If the pages are meant to be one, keep the best and redirect "
    "the others to it, or name it as their canonical address.",
    not_when="Pages that name another page as canonical do not count. The pages of one paginated series (?page=2, "
    "/page/2) count as one. Language versions that name each other with hreflang count as one too. Pages with the same "
    "text, word for word, are reported by SEO-CON-002 only, and pages with nearly the same text by SEO-CON-003.",
    source="Search engines' documentation on titles asks for a distinct title on every page.",
    page_check=check,
    title_need="duplicated",
    cause=("template",),
)
