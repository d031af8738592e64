"""Tables of SEO-LNK-012."""

from chalicelib.domain.page.facts import Link
from tests.rules.builders import Case, answer, case, links, page, site_facts


def linking(url: str, text: str = "preview", **changes: object) -> Case:
    return case(page("/a", external_links=[Link(url, text)]), **changes)  # type: ignore[arg-type]


FAILS = {
    "localhost": linking(
        "http://localhost/preview/",
        seen={
            "links": 1,
            "targets": [{"url": "http://localhost/preview/", "text": "preview", "fault": "local"}],
        },
        says="http://localhost/preview/",
    ),
    "localhost with a port": linking("http://localhost:8000/"),
    "127.0.0.1": linking("http://127.0.0.1:3000/a"),
    "10.1.2.3": linking("https://10.1.2.3/"),
    "a name of the local network": linking("http://printer.local/"),
    "a test website": linking("https://staging.example.com/a", seen={"links": 1}, says="test website"),
    "http": case(page("/a", links=links("http://example.com/b")), says="https"),
    "http with www": case(page("/a", links=links("http://www.example.com/b"))),
}
PASSES = {
    "another website": linking("https://other.example/"),
    "http of another website": linking("http://other.example/"),
    "a name that begins alike": linking("https://localhost.example.org/"),
    "a name that begins with a number": linking("https://10.example.org/"),
    "a name with staging in it": linking("https://acme-staging.example.org/"),
    "an instruction": linking("http://localhost:8000/", "http://localhost:8000"),
    "https of one's own": case(page("/a", links=links("/b"))),
    "the website's own host is a test website": case(
        page("https://staging.example.com/a", links=links("https://staging.example.com/b")),
        site=site_facts(home_url="https://staging.example.com/", host="staging.example.com"),
    ),
    "a website on http": case(
        page("http://example.com/a", links=links("http://example.com/b")),
        site=site_facts(home_url="http://example.com/"),
    ),
}
NOT_APPLICABLE = {
    "no links": case(page("/a")),
    "noindex": case(page("/a", links=links("http://example.com/b"), robots_meta=[("robots", "noindex")])),
    "an error": case(answer("/a", 404)),
}
TABLES = {"SEO-LNK-012": (FAILS, PASSES, NOT_APPLICABLE)}
