"""SEO-SEC-005: a form that sends its entries unencrypted."""

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.wording import counted


def check(page: Page, site: Site) -> PageVerdict:
    if not page.url.startswith("https://"):
        return NOT_APPLICABLE
    targets = page.facts.insecure_forms
    if not targets:
        return None
    return Finding(
        f"{counted(len(targets), 'form sends', 'forms send')} what people enter to an http address ({targets[0]}), "
        "readable for everybody between the visitor and the server; send it to https.",
        {"forms": len(targets), "targets": targets},
    )


RULE = Rule(
    id="SEO-SEC-005",
    title="Form sends to http",
    category="SEC",
    severity="high",
    confidence="certain",
    scope="page",
    population="indexable",
    weight=20,
    effort="low",
    writable_field=None,
    what="A form (or one of its buttons) on an https page sends its data to an address with http.",
    why="The data, such as passwords and addresses, travels unencrypted. Browsers warn before sending.",
    fix="Write https in the form's action, or a path without scheme and host.",
    not_when="A page on http is reported by SEO-SEC-001. Forms without an action send to the page's own address and "
    "do not count.",
    source="W3C Mixed Content; browsers' warnings about forms.",
    page_check=check,
    cause=("template",),
)
