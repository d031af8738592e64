"""SEO-TEC-035: scripts change the page's directives for search engines.

A search engine reads the HTML first, and runs scripts later or not at all. So it gets two different sets of directives.
The rule judges only the sample of pages that was rendered in a browser. The values in the server's HTML come from the
last time that the crawler read the page.
"""

from chalicelib.domain.page.rendered import Told, told
from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.wording import quoted


def has_data(site: Site) -> bool:
    return bool(site.rendered)


def check(page: Page, site: Site) -> PageVerdict:
    after = (site.rendered or {}).get(page.url)
    if after is None:
        return NOT_APPLICABLE
    before = told(page.facts)
    changes = {name: pair for name, pair in _pairs(before, after).items() if pair[0] != pair[1]}
    if not changes:
        return None
    name, (first, last) = next(iter(changes.items()))
    return Finding(
        f"Scripts change the {name} from {_shown(first)} to {_shown(last)}; send the final value with the HTML.",
        {"changes": [{"what": what, "before": one, "after": other} for what, (one, other) in changes.items()]},
    )


def _pairs(before: Told, after: Told) -> dict[str, tuple[str | None, str | None]]:
    """Return directives for search engines before and after scripts have run, the most important first."""
    return {
        "robots directives": (", ".join(before.robots) or None, ", ".join(after.robots) or None),
        "canonical address": (before.canonical, after.canonical),
        "title": (before.title or None, after.title or None),
    }


def _shown(value: str | None) -> str:
    return "nothing" if value is None else quoted(value)


RULE = Rule(
    id="SEO-TEC-035",
    title="JavaScript changes the directives for search engines",
    category="TEC",
    severity="high",
    confidence="likely",
    scope="page",
    population="indexable",
    weight=12,
    effort="medium",
    writable_field=None,
    what="After its scripts have run, the page has another title, another canonical address or other robots "
    "directives than the server's HTML.",
    why="Search engines read the HTML first, and run scripts later or never. Until then they use the first values. "
    "With two canonical addresses they may choose either, and a noindex from scripts removes the page later. Most "
    "assistants read only the HTML.",
    fix="Let the server send the final title, canonical address and robots directives, and let scripts leave them "
    "unchanged. Most frameworks can write them on the server. Tag managers should not write them.",
    not_when="Only a sample of rendered pages is judged: at most 20, one for each template. A recheck reads the HTML "
    "again and compares it with the page as the last audit rendered it.",
    source="Search engines' documentation on JavaScript.",
    page_check=check,
    has_data=has_data,
    needs=("rendered",),
    cause=("template",),
)
