"""Tables of SEO-AEO-012."""

from tests.rules.builders import case, page

QUESTION = "How long does delivery take?"

FAILS = {
    "too short": case(
        page(questions=3, unanswered=[(QUESTION, 2)]),
        seen={"questions": [{"heading": QUESTION, "words": 2}], "count": 1, "of": 3},
        says="has 2 words",
    ),
    "too long": case(page(questions=1, unanswered=[(QUESTION, 140)]), says="Put a short answer first"),
    "several": case(page(questions=2, unanswered=[(QUESTION, 2), ("Why?", 3)]), says="2 such headings"),
}
SAME = {"questions": 1, "unanswered": [(QUESTION, 2)], "text_hash": "the same text"}
FAILS["the page that others repeat"] = case(page("/faq", **SAME), page("/faq???", **SAME))
FAILS["a page with a text of its own"] = case(page("/faq-2", **{**SAME, "text_hash": "other"}), page("/faq", **SAME))
PASSES = {
    "a page that repeats another one": case(page("/faq???", **SAME), page("/faq", **SAME)),
    "all are answered": case(page(questions=4)),
    "no questions": case(page()),
    "a list in a frame beside the pages": case(page(questions=1, unanswered=[(QUESTION, 2)], in_frame=True)),
}
NOT_APPLICABLE = {
    "a page with noindex": case(page(questions=1, unanswered=[(QUESTION, 2)], robots_meta=[("robots", "noindex")]))
}
TABLES = {"SEO-AEO-012": (FAILS, PASSES, NOT_APPLICABLE)}
