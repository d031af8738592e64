"""SEO-AGT-001 to SEO-AGT-006: the findings of Lighthouse's Agentic Browsing category, with Lighthouse's own verdicts.

The ids of the checks come from the stored results. If Lighthouse did not make a check on a page, the rule does not
judge the page.
"""

from collections.abc import Callable
from typing import Final

from chalicelib.domain.agentic import AgenticResult, Check
from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import NOT_APPLICABLE, UNDECIDED, Finding, PageVerdict, Rule
from chalicelib.rules.wording import counted, quoted

GOOD: Final = 0.9
ACCESSIBILITY: Final = "agent-accessibility-tree"
LAYOUT: Final = "cumulative-layout-shift"
LLMS: Final = "llms-txt"
SCHEMA: Final = "webmcp-schema-validity"
FORMS: Final = "webmcp-form-coverage"
CATALOGUE: Final = "ard-schema"

_SOURCE: Final = "Lighthouse's Agentic Browsing category, which is still under development and may change."
_NOT_TESTED: Final = (
    "Pages that Lighthouse did not test, and checks that did not apply or failed to run, are not judged."
)


def made(check_id: str) -> Callable[[Site], bool]:
    """Return a function that tells whether Lighthouse made this check on at least one page of a website."""

    def has_data(site: Site) -> bool:
        return any(check_id in result.checks for result in (site.agentic or {}).values())

    return has_data


def _evidence(check: Check, result: AgenticResult) -> dict[str, object]:
    return {
        "items": [{"text": item.text, "selector": item.selector, "snippet": item.snippet} for item in check.items],
        "shown": check.shown or None,
        "lighthouseVersion": result.lighthouse_version,
        "strategy": result.strategy,
    }


def _first(check: Check) -> str:
    """Name the first failing element, as the middle of a sentence. Returns "" if Lighthouse names no element."""
    if not check.items:
        return ""
    item = check.items[0]
    where = item.snippet or item.selector
    return f": {quoted(item.text)}" + (f" at {where}" if where and where != item.text else "")


def scores_below(check_id: str, least: float, says: Callable[[Check], str]) -> Callable[[Page, Site], PageVerdict]:
    """Return a page check that fires if the page's score in this Lighthouse check is below ``least``."""

    def check_page(page: Page, site: Site) -> PageVerdict:
        result = (site.agentic or {}).get(page.url)
        if result is None:
            return NOT_APPLICABLE
        check = result.checks.get(check_id)
        if check is None or check.state in ("na", "info"):
            return NOT_APPLICABLE
        if check.state == "error" or check.score is None:
            return UNDECIDED
        return None if check.score >= least else Finding(says(check), _evidence(check, result))

    return check_page


def _tree(check: Check) -> str:
    places = counted(len(check.items), "fault") if check.items else "Faults"
    return (
        f"{places} in the accessibility tree, from which agents read the page{_first(check)}. Give the elements the "
        "names, roles and attributes they need."
    )


def _layout(check: Check) -> str:
    return (
        f"The layout moves while the page loads (shift {check.shown or 'above 0.1'}), so an agent may click something "
        "else than it meant. Keep room for images, advertisements and notices."
    )


def _llms(check: Check) -> str:
    return (
        f"llms.txt fails Lighthouse's check{_first(check)}. Begin it with a heading, and list links to the main pages."
    )


def _schema(check: Check) -> str:
    how = "has warnings" if check.score else "is not valid"
    return f"A tool that the page offers to agents (WebMCP) {how}{_first(check)}. Complete its description and fields."


def _catalogue(check: Check) -> str:
    return f"/.well-known/ai-catalog.json is not valid{_first(check)}. Correct the file, or remove it."


def check_forms(page: Page, site: Site) -> PageVerdict:
    """Report the forms that Lighthouse lists. Lighthouse's check is informative and has no score."""
    result = (site.agentic or {}).get(page.url)
    if result is None:
        return NOT_APPLICABLE
    check = result.checks.get(FORMS)
    if check is None or check.state == "na":
        return NOT_APPLICABLE
    if check.state == "error":
        return UNDECIDED
    if not check.items:
        return None
    where = check.items[0].snippet or check.items[0].selector
    return Finding(
        f"{counted(len(check.items), 'form')} cannot be used by agents as a tool, such as {where}; add toolname and "
        "tooldescription to the forms that agents should be able to fill in.",
        _evidence(check, result),
    )


def check_catalogue(site: Site) -> PageVerdict:
    """Judge the website's ai-catalog.json by Lighthouse's verdict on the file.

    If tests of several pages have a verdict, the latest of these tests counts.
    """
    for result in (site.agentic or {}).values():
        check = result.checks.get(CATALOGUE)
        if check is not None and check.state in ("pass", "fail") and check.score is not None:
            return None if check.score >= 1 else Finding(_catalogue(check), _evidence(check, result))
    return NOT_APPLICABLE


TREE = Rule(
    id="SEO-AGT-001",
    title="Accessibility tree not well formed",
    category="AGT",
    severity="medium",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=12,
    effort="medium",
    writable_field=None,
    what="Lighthouse found elements without a name, with a wrong role or with attributes that are not allowed.",
    why="Agents, like screen readers, read the page's accessibility tree. They cannot find an element without a name "
    "there, and misuse one with a wrong role.",
    fix="Fix the elements that the evidence lists. Begin with the template, since most of them are on every page.",
    not_when=_NOT_TESTED,
    source=_SOURCE,
    page_check=scores_below(ACCESSIBILITY, GOOD, _tree),
    needs=("agentic",),
    has_data=made(ACCESSIBILITY),
    cause=("template",),
)
LAYOUT_SHIFT = Rule(
    id="SEO-AGT-002",
    title="Layout moves while an agent acts",
    category="AGT",
    severity="low",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=5,
    effort="medium",
    writable_field=None,
    what=f"Lighthouse gives the page a score below {GOOD} (of 1) for cumulative layout shift.",
    why="Agents look at the page, decide where to click, and click a moment later. If the layout moved, they hit "
    "something else.",
    fix="Give images and frames a width and a height, and keep room for what is loaded late.",
    not_when=f"{_NOT_TESTED} Values measured from visitors are judged by SEO-PRF-002.",
    source=_SOURCE,
    page_check=scores_below(LAYOUT, GOOD, _layout),
    needs=("agentic",),
    has_data=made(LAYOUT),
    cause=("template",),
)
LLMS_TXT = Rule(
    id="SEO-AGT-003",
    title="llms.txt fails the Agentic check",
    category="AGT",
    severity="low",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=2,
    effort="low",
    writable_field=None,
    what="Lighthouse could not read llms.txt within two seconds, or found no heading, no link or fewer than 50 "
    "characters in it.",
    why="Lighthouse's check of llms.txt is one of the few that apply to every website, so it strongly affects the "
    "result.",
    fix="Let the file begin with a heading and list links to the main pages, and let the server send it quickly.",
    not_when=f"{_NOT_TESTED} A website without the file passes.",
    source=_SOURCE,
    page_check=scores_below(LLMS, GOOD, _llms),
    needs=("agentic",),
    has_data=made(LLMS),
    cause=("llms.txt",),
)
TOOLS = Rule(
    id="SEO-AGT-004",
    title="WebMCP tool schema invalid",
    category="AGT",
    severity="medium",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=8,
    effort="medium",
    writable_field=None,
    what="A form or script of the page offers agents a tool, and Lighthouse reports its description or fields as "
    "wrong or incomplete.",
    why="An agent uses a tool by its description. If the description is wrong, the agent fails or does something else.",
    fix="Add what the evidence names, such as a tooldescription of the form, or the name and type of a field.",
    not_when=f"{_NOT_TESTED} Pages that offer no tools are left out.",
    source=_SOURCE,
    page_check=scores_below(SCHEMA, 1.0, _schema),
    needs=("agentic",),
    has_data=made(SCHEMA),
    cause=("template",),
)
FORM_COVERAGE = Rule(
    id="SEO-AGT-005",
    title="Forms without WebMCP annotations",
    category="AGT",
    severity="low",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=0,
    effort="medium",
    writable_field=None,
    what="The page offers tools to agents, and Lighthouse lists forms of the page that are not tools.",
    why="This is information only and never scored: WebMCP is a draft, and not every form is meant for agents.",
    fix="Add toolname and tooldescription to the forms that agents should be able to use.",
    not_when=_NOT_TESTED,
    source=_SOURCE,
    page_check=check_forms,
    needs=("agentic",),
    has_data=made(FORMS),
    cause=("template",),
)
CATALOG = Rule(
    id="SEO-AGT-006",
    title="ai-catalog.json invalid",
    category="AGT",
    severity="low",
    confidence="certain",
    scope="site",
    population="site",
    weight=2,
    effort="low",
    writable_field=None,
    what="Lighthouse reports the website's /.well-known/ai-catalog.json as wrong or incomplete.",
    why="ai-catalog.json tells agents what the website offers them. A file that they cannot read is worse than none.",
    fix="Correct what the evidence names, or remove the file.",
    not_when="Websites without the file are left out, and so are results of Lighthouse versions without this check.",
    source=_SOURCE,
    site_check=check_catalogue,
    needs=("agentic",),
    has_data=made(CATALOGUE),
)
RULES = (TREE, LAYOUT_SHIFT, LLMS_TXT, TOOLS, FORM_COVERAGE, CATALOG)
