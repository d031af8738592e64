"""SEO-AEO-017: a page that has no content for clients that run no scripts."""

from chalicelib.domain.page.rendered import LEAST_SHARE
from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.own_text import LEAST_OWN
from chalicelib.rules.scripted import rendered, scripts_bring_content, scripts_fill_list
from chalicelib.rules.wording import counted, part


def check(page: Page, site: Site) -> PageVerdict:
    seen_in = scripts_bring_content(page, site)
    if seen_in is None:
        return _list(page) if scripts_fill_list(page, site) else None
    facts, after = page.facts, rendered(page, site)
    if after is None:
        return Finding(
            f"The HTML from the server has no words and no links, only {counted(facts.scripts or 0, 'script')}; send "
            "the content with the HTML (server rendering or static pages).",
            {"seenIn": seen_in, "words": 0, "internalLinks": 0, "scripts": facts.scripts},
        )
    return Finding(
        f"Assistants that run no scripts read {counted(facts.words, 'word')} and {counted(len(facts.links), 'link')} "
        f"here; a browser shows {after.words:,} words and {after.links:,} links. Send the content with the HTML "
        "(server rendering or static pages).",
        {
            "seenIn": seen_in,
            "words": facts.words,
            "renderedWords": after.words,
            "internalLinks": len(facts.links),
            "renderedInternalLinks": after.links,
        },
    )


def _list(page: Page) -> Finding:
    facts, words = page.facts, page.address.own_words
    return Finding(
        "In the HTML from the server, the page's list of links is empty, and scripts fill it in. That HTML has "
        f"{counted(words, 'word')} of its own. Send the entries with the HTML (server rendering or static pages).",
        {"seenIn": "html", "words": words, "internalLinks": len(facts.links), "scripts": facts.scripts},
    )


RULE = Rule(
    id="SEO-AEO-017",
    title="Content needs scripts",
    category="AEO",
    severity="high",
    confidence="likely",
    scope="page",
    population="readable",
    weight=60,
    effort="high",
    writable_field=None,
    what=f"The HTML that the server sends has less than {part(LEAST_SHARE)} of the words that a browser shows, or no "
    "links although the browser shows some. If no browser rendered the page, HTML with scripts is reported in two "
    f"cases. It has no words, links or images. Or it has fewer than {LEAST_OWN} words of its own, and a framework "
    "(AngularJS, Vue, Alpine, Knockout) fills in its list of links.",
    why="Nearly all assistants and AI search crawlers read only the HTML. They cannot quote or recommend a page that "
    "is empty until scripts have run.",
    fix="Let the server send the content with the HTML: server-side rendering, static generation or prerendering. "
    "Most frameworks have a setting for it.",
    not_when="A page that is just as empty in a browser is left out. Frames, and pages that forward to another page, "
    "are left out too. Lists in menus, headers, footers and sidebars do not count, even if scripts fill them in. If "
    "this rule reports a page, other rules do not report its missing main heading, links or words.",
    source="Documentation of assistants' crawlers: they run no scripts. This service set the limit of "
    f"{part(LEAST_SHARE)}.",
    page_check=check,
    cause=("scripts",),
)
