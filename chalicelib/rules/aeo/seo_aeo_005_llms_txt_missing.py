"""SEO-AEO-005: the website has no llms.txt."""

from chalicelib.domain.readiness.llms import kind_of
from chalicelib.rules.context import Site
from chalicelib.rules.model import Finding, PageVerdict, Rule


def has_data(site: Site) -> bool:
    """Whether /llms.txt was requested and answered."""
    return site.facts.llms_txt is not None and kind_of(site.facts.llms_txt) != "unreadable"


def check(site: Site) -> PageVerdict:
    file = site.facts.llms_txt
    assert file is not None
    kind = kind_of(file)
    if kind == "missing":
        return Finding(
            f"{file.url} answers {file.status}; an llms.txt there would describe the website's offer to assistants.",
            {"url": file.url, "status": file.status, "kind": kind},
        )
    if kind == "empty":
        return Finding(
            f"{file.url} is empty; write a heading, a summary and a list of the main pages into it.",
            {"url": file.url, "status": file.status, "kind": kind},
        )
    return None


RULE = Rule(
    id="SEO-AEO-005",
    title="llms.txt missing",
    category="AEO",
    severity="low",
    confidence="certain",
    scope="site",
    population="site",
    weight=1,
    effort="low",
    writable_field=None,
    what="There is no file at /llms.txt, or it is empty.",
    why="llms.txt is a short overview of a website for assistants: what it offers and where the main pages are. Some "
    "tools read it. Google says that it is not needed, so it hardly affects the score.",
    fix="Publish a Markdown file with a heading, a short summary and a list of links to the main pages at /llms.txt.",
    not_when="If /llms.txt does not answer, or answers with a server error, it is not judged. A web page at /llms.txt "
    "is reported by SEO-AEO-006.",
    source="The llms.txt proposal (llmstxt.org); Google's guide to AI features says that it is not needed.",
    site_check=check,
    has_data=has_data,
)
