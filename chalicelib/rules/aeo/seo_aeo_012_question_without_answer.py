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
    """Whether the answers are in a language whose words for good short answers are known. Others have other lengths
    too: two Korean words say what four English ones do, and Thai does not separate words."""
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
    why="Assistants and search engines quote the passage right below the question. One that is too short says nothing, "
    "one that is too long is passed over.",
    fix="Begin with the answer in two or three sentences, then explain.",
    not_when="Lists and tables below the question are answers, and so is the first sentence of a long paragraph, where "
    "it is short and repeats a word of the question, or the question asks for yes or no. One short sentence is an "
    "answer that says how likely something is, or what to do, where that or what is wrong is asked, and so is "
    "one that repeats a word of the question. Whatever follows a line with a colon is the answer, a command for "
    "example. Short paragraphs that follow each other count as one. Headings that link to the page that answers, "
    "titles of cards that are links, short paragraphs that send the reader to a link, questions about the text "
    "itself (Why this book?), titles of sidebars, headings that invite a click (Ready to start?), that are "
    "followed by another heading, a picture or a form, lists that are shown in a frame beside the pages, pages "
    f"that repeat another one (SEO-CON-002), and questions of fewer than {spelled(FEWEST_QUESTION_WORDS)} words "
    "are left out; without a question mark a heading counts only when it begins with a question word of the "
    f"page's language and has at least {spelled(FEWEST_WITHOUT_MARK)} words. Pages are judged in English, German, "
    "French, Spanish, Italian, Dutch, Portuguese and Polish, by their text or else their lang attribute: in other "
    "languages a word says more or less, and the forms of short answers are not known.",
    source="The lengths are ours, after the usual length of quoted answers.",
    page_check=check,
)
