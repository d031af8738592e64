"""SEO-ONP-019: a page that does not say its language."""

from chalicelib.rules.context import Page, Site
from chalicelib.rules.languages import language_fault
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import quoted
from chalicelib.suggestions.languages import tag_of


def check(page: Page, site: Site) -> PageVerdict:
    lang = (page.facts.lang or "").strip()
    if not lang:
        tag = tag_of(page.facts.text)
        example = '<html lang="en"> for English' if tag is None else f'<html lang="{tag}">'
        return Finding(
            f"The <html> tag has no lang attribute; say the page's language there, such as {example}.",
            {"lang": page.facts.lang},
        )
    fault = language_fault(lang)
    if fault is None:
        return None
    return Finding(f"<html lang> says {quoted(lang)}: {fault}", {"lang": lang})


RULE = Rule(
    id="SEO-ONP-019",
    title="Language missing or invalid",
    category="ONP",
    severity="medium",
    confidence="certain",
    scope="page",
    population="readable",
    weight=5,
    effort="low",
    writable_field=None,
    what="The <html> tag has no lang attribute, or one that does not begin with a language code.",
    why="Screen readers choose their voice by the lang attribute. Browsers use it for translation and hyphenation, "
    "some search engines and assistants to distinguish language versions.",
    fix='Put the language into the theme\'s <html> tag, such as <html lang="en"> or <html lang="de-AT">.',
    not_when="Only the first part of the code is judged. The region or script after it may have any value.",
    source="BCP 47 (RFC 5646) and the IANA language subtag registry; Lighthouse's html-has-lang and html-lang-valid.",
    page_check=check,
    cause=("template",),
)
