"""SEO-ONP-025: a page whose declared language differs from the language of its text."""

import re
from typing import Final

from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.page.scripts_of_languages import (
    FEWEST_LETTERS,
    LEAST_SHARE,
    NAMES,
    is_well_present,
    may_be_written_in,
    primary,
    script_of,
)
from chalicelib.rules.context import Page, Site
from chalicelib.rules.languages import language_fault
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.wording import quoted

# fa-adjust, str_replace, config.php: names in program code have Latin letters in every language.
_IN_CODE: Final = re.compile(r"[A-Za-z0-9][-_.:/\\][A-Za-z0-9]")


def check(page: Page, site: Site) -> PageVerdict:
    facts = page.facts
    html, body = (facts.lang or "").strip(), (facts.body_lang or "").strip()
    declared = body or html
    if not declared or language_fault(declared) is not None:
        return NOT_APPLICABLE  # SEO-ONP-019 reports that
    where = "<body lang>" if body else "<html lang>"
    plain = facts.text.isascii() and may_be_written_in(declared, "Latn")  # the usual case
    script = None if plain else script_of(facts.text)
    if script is not None and not may_be_written_in(declared, script):
        script = _script_of_sentences(facts, declared, script)
    seen = {"lang": facts.lang, "bodyLang": facts.body_lang, "script": script}
    if script is not None and not may_be_written_in(declared, script):
        return Finding(
            f"{where} says {quoted(declared)}, and the text is written in {NAMES[script]} script; name the language of "
            "the text.",
            seen,
        )
    if body and html and language_fault(html) is None and primary(body) != primary(html):
        return Finding(
            f"<html lang> says {quoted(html)} and <body lang> {quoted(body)}; name the language of the text in both.",
            seen,
        )
    return None


def _script_of_sentences(facts: PageFacts, declared: str, script: str) -> str | None:
    """Return the script in which the sentences of the text are written, without names in program code.

    Returns None if a good part of the headings and paragraphs is in the declared language's script.
    """
    japanese = script == "Kana"  # its texts have Chinese characters too
    if not japanese and is_well_present(declared, [*(heading for _, heading in facts.headings), *facts.paragraphs]):
        return None
    if script != "Latn":
        return script
    return script_of(" ".join(word for word in facts.text.split() if _IN_CODE.search(word) is None))


RULE = Rule(
    id="SEO-ONP-025",
    title="Declared language differs from the text's language",
    category="ONP",
    severity="medium",
    confidence="likely",
    scope="page",
    population="readable",
    weight=5,
    effort="low",
    writable_field=None,
    what="The text of the page is in a script that the language of <html lang> or <body lang> does not use, such as "
    "lang=en on a Hebrew page. Or the two tags name different languages.",
    why="Screen readers read the text in the wrong voice, and browsers offer to translate it from the wrong language. "
    "Some search engines and assistants use the declared language.",
    fix='Name the language of the text in the theme\'s <html> tag, such as <html lang="he">. If a website has several '
    "languages, let each version name its own.",
    not_when=f"Texts with fewer than {FEWEST_LETTERS} letters, texts in several scripts, and languages with more than "
    "one script are not judged. Names in program code (fa-adjust, str_replace) do not count. Pages are left out if a "
    f"good part of their headings and paragraphs ({1 - LEAST_SHARE:.0%}) is in the declared language's script. "
    "A missing or invalid language is reported by SEO-ONP-019.",
    source="HTML Standard: the lang attribute; WCAG 2.2, 3.1.1; the Unicode ranges of scripts.",
    page_check=check,
    cause=("template",),
)
