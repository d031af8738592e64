"""SEO-TEC-030: a robots.txt with errors, so that crawlers do not read it as its author intended."""

from typing import Final

from chalicelib.domain.page.facts import RobotsFile
from chalicelib.rules.context import Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import counted, quoted, spelled

MOST_BYTES: Final = 500 * 1024
MOST_REDIRECTS: Final = 5
LINES_SHOWN: Final = 20
_WORDS: Final = {
    "rule_before_user_agent": "is before any User-agent line and is ignored; put it into a group",
    "unknown_field": "is not a field that crawlers know; remove it or make it a comment (#)",
    "misspelt_field": "is misspelt, and not every crawler guesses what it means; correct it",
    "missing_colon": "has no colon after the field's name; add it",
    "pattern_without_slash": 'never matches an address; begin the path with "/" or "*"',
    "too_many_stars": "has more wildcards (*) than crawlers can be expected to process; use fewer",
    "empty_sitemap": "names no sitemap; write the sitemap's address, or remove the line",
    "relative_sitemap": "names a sitemap without scheme and host, which search engines do not read; write its whole "
    "address",
    "broken_sitemap": "has no valid address; write the sitemap's whole address",
    "bad_crawl_delay": "has no number of seconds; write one, or remove the line",
}


def has_data(site: Site) -> bool:
    return site.facts.robots is not None


def _file_fault(file: RobotsFile, body: str) -> tuple[str, str] | None:
    """Return (kind, sentence) for a fault of the file as a whole. Returns None if it has none."""
    if file.status == 0:
        return "no_answer", "does not answer, which search engines take for a ban on the whole website; let it answer"
    if file.status >= 500:
        return (
            "server_error",
            f"answers with a server error ({file.status}), which search engines take for a ban on the whole website; "
            "let it answer 200, or 404 if there is none",
        )
    if 300 <= file.status < 400 and file.redirects >= MOST_REDIRECTS:
        return "redirects", f"redirects more than {MOST_REDIRECTS} times, so crawlers do not read it; answer directly"
    if file.status != 200:
        return None
    # Crawlers also read rules that are sent as text/html by mistake.
    if body.lstrip("\ufeff \t\r\n").startswith("<"):
        return "html", "is a web page; answer with plain text, or with 404 if there is no robots.txt"
    if file.bytes > MOST_BYTES:
        return "too_long", f"is larger than {MOST_BYTES // 1024} KiB, and crawlers ignore the rest; shorten it"
    return None


def check(site: Site) -> PageVerdict:
    file = site.facts.robots
    assert file is not None
    fault = _file_fault(file, file.text[:100])
    if fault is not None:
        kind, sentence = fault
        return Finding(
            f"{file.url} {sentence}.", {"kind": kind, "status": file.status, "bytes": file.bytes, "lines": []}
        )
    problems = [problem for problem in site.robots.problems if problem.kind in _WORDS]
    if file.status != 200 or not problems:
        return None
    first = problems[0]
    more = f" {counted(len(problems) - 1, 'more line is', 'more lines are')} wrong too." if len(problems) > 1 else ""
    return Finding(
        f"Line {first.line_number} of robots.txt, {quoted(first.text)}, {_WORDS[first.kind]}.{more}",
        {
            "kind": "lines",
            "status": file.status,
            "bytes": file.bytes,
            "lines": [
                {"lineNumber": problem.line_number, "line": problem.text, "kind": problem.kind}
                for problem in problems[:LINES_SHOWN]
            ],
        },
    )


RULE = Rule(
    id="SEO-TEC-030",
    title="robots.txt has errors",
    category="TEC",
    severity="medium",
    confidence="certain",
    scope="site",
    population="site",
    weight=4,
    effort="low",
    writable_field=None,
    what=f"robots.txt answers with a server error or a web page, is larger than {MOST_BYTES // 1024} KiB, or redirects "
    f"more than {spelled(MOST_REDIRECTS)} times. Or it has lines that crawlers ignore or may misread.",
    why="A line that crawlers do not understand has no effect, so crawlers may read pages that should be blocked, "
    "or the reverse. After a server error, search engines read no page of the website.",
    fix="Correct the lines that the evidence lists. The evidence says how to correct each line.",
    advice={
        "server_error": "Let robots.txt answer 200, or 404 if there is none.",
        "html": "The server shows a page for addresses without a file; let it answer 404, or make a robots.txt.",
        "too_long": "Replace several rules by one rule with a pattern (*), or block whole folders.",
        "rule_before_user_agent": "Put a User-agent line before the first rule.",
        "unknown_field": "Remove the line, or put # before it.",
        "misspelt_field": "Spell the field as in the standard.",
        "missing_colon": "Put a colon between field and value.",
        "pattern_without_slash": "Begin the path with a slash.",
        "empty_sitemap": "Write the sitemap's address, or remove the line.",
        "relative_sitemap": "Write the sitemap's whole address, with https:// and the host.",
        "broken_sitemap": "Write the whole address of one sitemap in each line.",
        "bad_crawl_delay": "Write a number of seconds.",
    },
    not_when="A website without robots.txt (404) is fine: crawlers may then read everything. Common fields beyond the "
    "standard (Sitemap, Crawl-delay, Content-Signal, License, …) are never reported.",
    source="RFC 9309; Google's documentation of robots.txt; Lighthouse's robots-txt audit.",
    site_check=check,
    has_data=has_data,
)
