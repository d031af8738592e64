"""SEO-SMP-002: a sitemap that search engines cannot read."""

from typing import Final

from chalicelib.domain.crawl.sitemap import MAX_BYTES, MAX_ENTRIES
from chalicelib.domain.page.facts import SitemapFile
from chalicelib.rules.context import REFUSED, Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.smp.reading import was_read
from chalicelib.rules.wording import codes, counted

SHOWN: Final = 20


def fault_of(file: SitemapFile) -> str | None:
    """Return the fault of one sitemap file, as the end of a sentence. Returns None if the file can be read."""
    if file.status == 200:
        return file.error
    if file.status in REFUSED:
        return None
    if 300 <= file.status < 400:
        return "redirects to something other than a sitemap"
    return f"answers {file.status}" if file.status else file.error or "does not answer"


def check(site: Site) -> PageVerdict:
    files = site.facts.sitemaps
    if not files:
        return NOT_APPLICABLE
    faults = [(file, fault) for file in files if (fault := fault_of(file)) is not None]
    if not faults:
        return None
    first, fault = faults[0]
    named = {"robots": "robots.txt names it", "index": "a sitemap index names it"}.get(first.found_by, "it was found")
    more = f" {counted(len(faults) - 1, 'more file is', 'more files are')} not readable either." if faults[1:] else ""
    return Finding(
        f"The sitemap {first.url} ({named}) cannot be used: {fault}. Correct the file, or remove the line that names "
        f"it.{more}",
        {
            "files": len(files),
            "faults": [
                {"url": file.url, "foundBy": file.found_by, "status": file.status or None, "fault": fault}
                for file, fault in faults[:SHOWN]
            ],
        },
    )


RULE = Rule(
    id="SEO-SMP-002",
    title="Sitemap not readable",
    category="SMP",
    severity="high",
    confidence="certain",
    scope="site",
    population="site",
    weight=20,
    effort="low",
    writable_field=None,
    what="A sitemap that robots.txt or a sitemap index names does not answer 200 or is no XML (or text) sitemap. Or "
    f"it is larger than the protocol allows: {MAX_ENTRIES:,} addresses or {MAX_BYTES // 2**20} MB a file.",
    why="Search engines ignore a sitemap they cannot read, and all pages in it.",
    fix="Open the address that the evidence names. If the file is gone, remove the line that names it from robots.txt "
    "or from the index. If it is broken, let the CMS create it again. If it is too large, split it and list the "
    "parts in an index.",
    not_when="A website without any sitemap is reported by SEO-SMP-001. A file that refuses the crawler "
    f"({codes(REFUSED)}) is not judged. Dead entries of a sitemap are reported by SEO-SMP-003.",
    source="The sitemaps.org protocol and its limits.",
    has_data=was_read,
    site_check=check,
)
