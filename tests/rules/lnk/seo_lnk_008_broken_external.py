"""Tables of SEO-LNK-008."""

from typing import Any

from chalicelib.domain.page.facts import Link, PageFacts, TargetFacts
from tests.rules.builders import answer, case, links, page

URL, NEXT = "https://other.example/a", "https://other.example/b"
THERE = "https://there.example/"


def linking(*urls: str) -> PageFacts:
    return page("/a", links=links("/"), external_links=[Link(url, "poles") for url in urls])


def checked(url: str = URL, status: int = 0, **changes: Any) -> TargetFacts:
    return TargetFacts(url, own_host=False, status=status, **{"tries": 2, **changes})


def unreachable(count: int) -> list[TargetFacts]:
    return [checked(f"https://host{number}.example/", error="dns") for number in range(count)]


FAILS = {
    "gone": case(
        linking(URL),
        targets=[checked(status=404)],
        seen={"broken": 1, "targets": [{"url": URL, "text": "poles", "fault": "answers 404", "status": 404}]},
        says=f'{URL} (link text "poles") answers 404',
    ),
    "gone for good": case(linking(URL), targets=[checked(status=410)]),
    "the host is no more": case(
        linking(URL), targets=[checked(error="dns"), checked(THERE, 200)], says="cannot be resolved"
    ),
    "one host in ten answers": case(linking(URL), targets=[checked(error="dns"), checked(THERE, 200), *unreachable(8)]),
    "the only other host turns programs away": case(linking(URL), targets=[checked(error="dns"), checked(THERE, 403)]),
    "a redirect to nowhere": case(
        linking(URL), targets=[checked(status=301, redirect_to=NEXT), checked(NEXT, 404)], says="answers 404"
    ),
    "one of two": case(linking(NEXT, URL), targets=[checked(status=404), checked(NEXT, 200)], seen={"broken": 1}),
}
PASSES = {
    "there": case(linking(URL), targets=[checked(status=200, tries=1)]),
    "moved": case(linking(URL), targets=[checked(status=301, redirect_to=NEXT, tries=1), checked(NEXT, 200)]),
    **{
        f"it turns programs away with {status}": case(linking(URL), targets=[checked(status=status)])
        for status in (401, 403, 429, 999)
    },
    "a server error": case(linking(URL), targets=[checked(status=500)]),
    "no answer in time": case(linking(URL), targets=[checked(error="timeout"), checked(THERE, 200)]),
    "gone at the only try": case(linking(URL), targets=[checked(status=404, tries=1)]),
    "another link of the page was asked for": case(linking(URL, NEXT), targets=[checked(NEXT, 200)]),
}
NOT_APPLICABLE = {
    "no outside name resolves": case(linking(URL), targets=[checked(error="dns"), *unreachable(5)]),
    "nobody outside answers": case(linking(URL), targets=[checked(error="timeout"), checked(NEXT, error="connect")]),
    "nearly nobody outside answers": case(
        linking(URL), targets=[checked(error="dns"), checked(THERE, 200), *unreachable(9)]
    ),
    "nobody asked": case(linking(URL)),
    "only other pages' links were asked for": case(linking(URL), targets=[checked(NEXT, 404)]),
    "no link to another website": case(page("/a", links=links("/")), targets=[checked(status=404)]),
    "an error": case(answer("/a", 404), targets=[checked(status=404)]),
}
TABLES = {"SEO-LNK-008": (FAILS, PASSES, NOT_APPLICABLE)}
