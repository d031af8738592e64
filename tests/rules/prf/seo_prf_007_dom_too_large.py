"""Tables of SEO-PRF-007."""

from tests.rules.builders import answer, case, links, page

FAILS = {
    "one more": case(
        page(elements=1_501),
        seen={"elements": 1_501, "limit": 1_500},
        says="1,501 elements; 1,500 at most keep it quick. Show long lists in parts",
    ),
    "code samples with coloured words": case(
        page(elements=2_400, words=9_000, code_elements=1_201),
        says="1,201 of them are in code samples, mostly to colour words: shorten the samples",
    ),
    "lists beside code samples": case(
        page(elements=2_400, words=2_000, code_elements=1_200), says="Show long lists in parts"
    ),
    "a long text": case(
        page(elements=2_400, words=20_000), says="Most of them belong to its text of 20,000 words: divide the text"
    ),
    "a list with some words in each element": case(
        page(elements=2_400, words=9_000, links=links(*(f"/{n}" for n in range(49)))), says="Show long lists in parts"
    ),
    "a text in table cells": case(
        page(elements=2_400, words=3_800, links=links("/", "/next")), says="its text of 3,800 words: divide the text"
    ),
    "a text with marked words and links": case(
        page(elements=2_400, words=9_000, links=links(*(f"/{n}" for n in range(48)))), says="divide the text"
    ),
    "empty blocks": case(page(elements=2_400, words=2_000), says="Show long lists in parts"),
}
PASSES = {"the limit": case(page(elements=1_500)), "few": case(page(elements=200))}
NOT_APPLICABLE = {
    "noindex": case(page(elements=9_000, robots_meta=[("robots", "noindex")])),
    "an error": case(answer("/a", 404, elements=9_000)),
}
TABLES = {"SEO-PRF-007": (FAILS, PASSES, NOT_APPLICABLE)}
