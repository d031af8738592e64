"""Tables of SEO-ONP-020."""

from tests.rules.builders import answer, case, page

FAILS = {
    "no viewport": case(page(viewport=None), seen={"viewport": None}, says="width=device-width"),
    "a viewport without width": case(page(viewport="user-scalable=no"), says="user-scalable=no"),
    "on a page with noindex too": case(page(viewport=None, robots_meta=[("robots", "noindex")])),
}
PASSES = {
    "the usual one": case(page()),
    "initial-scale alone": case(page(viewport="initial-scale=1.0")),
    "a fixed width": case(page(viewport="width = 1024")),
}
NOT_APPLICABLE = {
    "an error": case(answer("/gone", 404)),
    "a page that forwards at once": case(page(viewport=None, meta_refresh="https://example.com/start", forwards=True)),
}
TABLES = {"SEO-ONP-020": (FAILS, PASSES, NOT_APPLICABLE)}
