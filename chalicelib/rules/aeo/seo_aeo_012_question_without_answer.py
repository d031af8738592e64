"""SEO-AEO-012: a heading asks a question, and no short answer follows."""

from typing import Final

from chalicelib.domain.page.answers import QUESTION_LANGUAGES
from chalicelib.domain.page.facts import (
    FEWEST_QUESTION_WORDS,
    FEWEST_WITHOUT_MARK,
    LONGEST_ANSWER,
    LONGEST_LET_PASS,
    SHORTEST_ANSWER,
)
from chalicelib.rules.con.seo_con_002_exact_duplicate import repeats_another
from chalicelib.rules.context import Page, Site
from chalicelib.rules.languages import speaks_one_of
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.wording import counted, quoted, spelled
from chalicelib.suggestions.languages import spoken

SHOWN: Final = 10


def check(page: Page, site: Site) -> PageVerdict:
    unanswered = page.facts.unanswered
    if not unanswered or page.facts.in_frame or repeats_another(page, site):
        return None
    if not _can_be_judged(page):
        return NOT_APPLICABLE
    heading, count = unanswered[0]
    advice = (
        "Answer in two or three sentences"
        if count < SHORTEST_ANSWER
        else "Put a short answer first, and the details into the next paragraphs"
    )
    more = f" ({counted(len(unanswered), 'such heading')} on the page)" if len(unanswered) > 1 else ""
    return Finding(
        f"The paragraph below {quoted(heading, 100)} has {counted(count, 'word')}{more}. {advice}: "
        f"{SHORTEST_ANSWER} to {LONGEST_ANSWER} words can be quoted as an answer.",
        {
            "questions": [{"heading": one, "words": length} for one, length in unanswered[:SHOWN]],
            "count": len(unanswered),
            "of": page.facts.questions,
        },
    )


def _can_be_judged(page: Page) -> bool:
    """Whether the answers are in a language for which the length of good short answers is known.

    Other languages have other lengths: two Korean words say as much as four English ones, and Thai does not separate
    words.
    """
    facts = page.facts
    language = spoken(facts.text)
    if language is not None:
        return language in QUESTION_LANGUAGES
    return speaks_one_of(QUESTION_LANGUAGES, facts.body_lang or facts.lang)


RULE = Rule(
    id="SEO-AEO-012",
    title="Question heading without a direct answer",
    category="AEO",
    severity="low",
    confidence="possible",
    scope="page",
    population="indexable",
    weight=3,
    effort="medium",
    writable_field=None,
    what="An H2 or H3 in the main content asks a question, and the paragraph that follows has fewer than "
    f"{SHORTEST_ANSWER} or more than {LONGEST_LET_PASS} words.",
    why="Assistants and search engines quote the passage right below the question. They ignore a long passage, and a "
    "very short one gives no answer.",
    fix="Begin with the answer in two or three sentences, then explain.",
    not_when="The following texts count as answers:\n"
    "- A list or table below the question, also in the middle of a sentence that begins above it.\n"
    "- A single short sentence directly followed by a list that is not a menu.\n"
    "- Any text or command below a line that ends in a colon.\n"
    "- Short paragraphs that follow each other. They count as one paragraph. A line of text outside of paragraphs is "
    "read like a paragraph.\n"
    "- The first sentence of a long paragraph, if the question asks for yes or no.\n"
    "- The first sentence of a long paragraph, if it is short and repeats a word of the question.\n"
    "- A single short sentence that repeats a word of the question.\n"
    "- A short sentence that says how likely something is, if the question asks for yes or no.\n"
    "- A single short sentence, if the question asks how to do something or what is wrong.\n"
    "- A single short sentence with a number in digits, if the question asks how much, how many, how long and so on.\n"
    "- A short paragraph with a link, if the question asks where something is.\n\n"
    "The following headings and pages are not judged:\n"
    "- Headings that link to the page with the answer, and titles of cards that are links.\n"
    "- Headings followed by a short paragraph that sends the reader to a link.\n"
    "- Headings followed by another heading, a picture or a form.\n"
    "- Questions about the text itself (Why this book?).\n"
    "- Questions that invite a click (Ready to start?).\n"
    "- Titles of sidebars.\n"
    f"- Questions of fewer than {spelled(FEWEST_QUESTION_WORDS)} words.\n"
    "- Headings without a question mark. They are judged only if they begin with a question word of the page's "
    f"language and have at least {spelled(FEWEST_WITHOUT_MARK)} words.\n"
    "- Menus and lists whose links open in another frame.\n"
    "- Pages that repeat another page (SEO-CON-002).\n"
    "- Pages that are not in English, German, French, Spanish, Italian, Dutch, Portuguese or Polish, because the rule "
    "does not know how long an answer should be in other languages. The language is known from the text, or else from "
    "the lang attribute.",
    source="This service chose the limits by the usual length of quoted answers.",
    page_check=check,
)
