"""SEO-ONP-024: an address that is hard to read, to type and to share."""

from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import listed, spelled

LONGEST_PATH: Final = 115  # characters, as one reads them
MOST_PARAMETERS: Final = 3


def faults_of(url: str) -> list[str]:
    """What makes the address hard to read, in words; empty when nothing does."""
    parts = urlsplit(url)
    # Letters beyond ASCII are sent as %XX, and browsers show them as letters again.
    path = unquote(parts.path) if "%" in parts.path else parts.path
    found = []
    if "_" in path:
        found.append("underscores")
    if path != path.lower():
        found.append("upper-case letters")
    if " " in path:
        found.append("spaces")
    if "//" in path:
        found.append("a double slash")
    if len(path) > LONGEST_PATH:
        found.append(f"a path of {len(path)} characters")
    if parts.query:
        count = len(parse_qsl(parts.query, keep_blank_values=True))
        if count >= MOST_PARAMETERS:
            found.append(f"{count} parameters")
    return found


def check(page: Page, site: Site) -> PageVerdict:
    if not page.canonical_is_self:
        return None  # another address is the one that is shown
    faults = faults_of(page.url)
    if not faults:
        return None
    return Finding(
        f"The address has {listed(faults)}; short lower-case words joined by hyphens are easier to read and to share. "
        "Change it only together with a redirect from the old one.",
        {"faults": faults, "characters": len(page.url)},
    )


RULE = Rule(
    id="SEO-ONP-024",
    title="URL hard to read",
    category="ONP",
    severity="low",
    confidence="likely",
    scope="page",
    population="indexable",
    weight=2,
    effort="high",
    writable_field=None,
    what=f"The path has underscores, upper-case letters, spaces, a double slash or more than {LONGEST_PATH} "
    f"characters, or the address has {spelled(MOST_PARAMETERS)} or more parameters.",
    why="People read addresses before they click or share them, and mistype what is irregular: upper and lower case "
    "are two addresses on most servers.",
    fix="Give new pages short lower-case addresses with hyphens. Change an existing one only with a permanent "
    "redirect, and only where it is worth the effort: an address that works is worth more than a pretty one.",
    not_when="Addresses whose page names another one as canonical are left out. Letters beyond ASCII are fine, and "
    "count as letters, not as the %XX they are sent as.",
    source=f"Search engines' documentation on URL structure: readable words, hyphens; the {LONGEST_PATH} characters "
    "are ours.",
    page_check=check,
)
