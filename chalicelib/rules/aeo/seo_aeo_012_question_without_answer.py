"""SEO-AEO-012: a heading that asks something, and no short answer below it."""

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
    why="Assistants and search engines quote the passage right below the question. They ignore one that is too long, "
    "and one that is too short gives no answer.",
    fix="Begin with the answer in two or three sentences, then explain.",
    not_when="Lists and tables below the question are answers. Text after a line with a colon, such as a command, is "
    "an answer. Short paragraphs that follow each other count as one. The first sentence of a long paragraph is an "
    "answer if the question asks for yes or no. It is also an answer if it is short and repeats a word of the "
    "question. A single short sentence is an answer if it repeats a word of the question. It is also an answer if it "
    "says how likely something is, links where something is, or says what to do, and the question asks for that or for "
    "what is wrong. The rule "
    "leaves out headings that link to the page with the answer, and titles of cards that are links. It leaves out "
    "short paragraphs that send the reader to a link. It leaves out questions about the text itself (Why this book?), "
    "titles of sidebars, and headings that invite a click (Ready to start?). It leaves out headings followed by "
    "another heading, a picture or a form. It leaves out lists shown in a frame beside the pages, and pages that "
    f"repeat another one (SEO-CON-002). It leaves out questions of fewer than {spelled(FEWEST_QUESTION_WORDS)} words. "
    "A heading without a question mark counts only if it begins with a question word of the page's language and has "
    f"at least {spelled(FEWEST_WITHOUT_MARK)} words. Only pages in English, German, French, Spanish, Italian, Dutch, "
    "Portuguese and Polish are judged, by their text or else their lang attribute. In other languages words carry "
    "more or less meaning, and the rule does not know the forms of short answers.",
    source="The lengths are ours, after the usual length of quoted answers.",
    page_check=check,
)
