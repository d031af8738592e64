"""SEO-TEC-025: a page whose content is added only by scripts."""

from chalicelib.domain.page.rendered import LEAST_SHARE
from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.scripted import rendered as rendered_page
from chalicelib.rules.wording import part


def has_data(site: Site) -> bool:
    return bool(site.rendered)


def check(page: Page, site: Site) -> PageVerdict:
    rendered = rendered_page(page, site)
    if rendered is None:
        return NOT_APPLICABLE
    words, links = page.facts.words, len(page.facts.links)
    seen = {
        "words": words,
        "renderedWords": rendered.words,
        "internalLinks": links,
        "renderedInternalLinks": rendered.links,
    }
    if words < LEAST_SHARE * rendered.words:
        return Finding(
            f"The HTML from the server has {words:,} words, but the page in a browser has {rendered.words:,}; send "
            "the main content with the HTML (server rendering or static pages).",
            seen,
        )
    if not links and rendered.links:
        return Finding(
            f"The HTML from the server has no link to another page, but the page in a browser has {rendered.links:,}; "
            "send the navigation with the HTML.",
            seen,
        )
    return None


RULE = Rule(
    id="SEO-TEC-025",
    title="Page needs JavaScript to show its content",
    category="TEC",
    severity="high",
    confidence="likely",
    scope="page",
    population="indexable",
    weight=15,
    effort="high",
    writable_field=None,
    what=f"The HTML that the server sends has less than {part(LEAST_SHARE)} of the words that the page shows in a "
    "browser. Or it has no links although the rendered page has some.",
    why="Most assistants read only the HTML, and search engines run scripts later or never. They cannot see content "
    "that only scripts add.",
    fix="Let the server send the content with the HTML: server-side rendering, static generation or prerendering. "
    "Most frameworks have a setting for it.",
    not_when="Only a sample of rendered pages is judged: at most 20, one for each template.",
    source=f"Search engines' documentation on JavaScript. This service set the limit of {part(LEAST_SHARE)}.",
    page_check=check,
    has_data=has_data,
    needs=("rendered",),
    cause=("scripts",),
)
