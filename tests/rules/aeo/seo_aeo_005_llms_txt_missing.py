"""Tables of SEO-AEO-005."""

from chalicelib.domain.page.facts import SiteFacts, TextFile
from tests.rules.builders import ORIGIN, site_case, site_facts


def answering(status: int, text: str = "", content_type: str = "text/plain") -> SiteFacts:
    """A website whose /llms.txt answers so."""
    return site_facts(llms_txt=TextFile(ORIGIN + "/llms.txt", status, text, len(text), content_type))


FAILS = {
    "not there": site_case(site=answering(404), seen={"kind": "missing", "status": 404}, says="answers 404"),
    "gone": site_case(site=answering(410)),
    "empty": site_case(site=answering(200, "  \n"), seen={"kind": "empty"}, says="is empty"),
}
PASSES = {
    "a file": site_case(),
    "a web page is another fault": site_case(site=answering(200, "<!doctype html><html>", "text/html")),
}
NOT_APPLICABLE = {
    "nobody asked": site_case(site=site_facts(llms_txt=None)),
    "a server error": site_case(site=answering(503)),
    "no answer": site_case(site=answering(0)),
    "the crawler was turned away": site_case(site=answering(403)),
}
TABLES = {"SEO-AEO-005": (FAILS, PASSES, NOT_APPLICABLE)}
