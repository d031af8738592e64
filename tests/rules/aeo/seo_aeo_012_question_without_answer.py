"""Tables of SEO-AEO-012."""

from tests.rules.builders import case, page

QUESTION = "How long does delivery take?"
KOREAN = "텐트는 가볍고 자리를 많이 차지하지 않습니다. 접기 전에 말려야 합니다."

FAILS = {
    "an English page that says it is in Korean": case(
        page(questions=1, unanswered=[(QUESTION, 2)], lang="ko", text="This is the text of a page that you can read.")
    ),
    "a page whose language is unknown": case(page(questions=1, unanswered=[(QUESTION, 2)], lang="", text="Tents.")),
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
    "a page in Korean": case(page(questions=1, unanswered=[("텐트는 어떻게 접나요?", 4)], lang="ko", text=KOREAN)),
    "a page in Korean that says it is in English": case(
        page(questions=1, unanswered=[("텐트는 어떻게 접나요?", 4)], lang="en", text=KOREAN)
    ),
    "a page in Swedish": case(page(questions=1, unanswered=[("Hur fungerar det?", 4)], lang="sv", text="Tält.")),
    "a page in a language with unknown words": case(
        page(questions=1, unanswered=[("Kaip tai veikia?", 4)], lang="lt", text="Palapinės.")
    ),
    "a page with noindex": case(page(questions=1, unanswered=[(QUESTION, 2)], robots_meta=[("robots", "noindex")])),
}
TABLES = {"SEO-AEO-012": (FAILS, PASSES, NOT_APPLICABLE)}
