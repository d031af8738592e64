"""Tables of SEO-TEC-021."""

from chalicelib.domain.page.facts import Probe
from tests.rules.builders import HOME, Case, site_case, site_facts

HTTP, WWW = "http://example.com/", "https://www.example.com/"


def answering(*probes: Probe, **changes: object) -> Case:
    return site_case(site=site_facts(probes=list(probes)), **changes)  # type: ignore[arg-type]


def variant(url: str, status: int, **changes: object) -> Probe:
    return Probe("variant", url, status, **changes)  # type: ignore[arg-type]


FAILS = {
    "http": answering(variant(HTTP, 200), seen={"home": HOME, "variants": [HTTP]}, says=f"{HTTP} answers 200"),
    "www": answering(variant(HTTP, 301, redirect_to=HOME), variant(WWW, 200), seen={"variants": [WWW]}),
    "both": answering(variant(HTTP, 200), variant(WWW, 200), says="answer 200"),
    "a canonical of its own": answering(variant(WWW, 200, canonical=WWW)),
}
PASSES = {
    "they redirect": answering(variant(HTTP, 301, redirect_to=HOME), variant(WWW, 301, redirect_to=HOME)),
    "the canonical is the main one": answering(variant(WWW, 200, canonical=HOME)),
    "the canonical is another page of the main one": answering(variant(WWW, 200, canonical=HOME + "start")),
    "they do not exist": answering(variant(WWW, 0, error="dns"), variant(HTTP, 404)),
    "it turns the crawler away": answering(variant(HTTP, 403)),
}
NOT_APPLICABLE = {
    "nobody asked": site_case(),
    "another question": answering(Probe("not_found", HOME + "x", 200)),
}
TABLES = {"SEO-TEC-021": (FAILS, PASSES, NOT_APPLICABLE)}
