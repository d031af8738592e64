"""Texts that nobody meant to publish: filler, template code that was not filled in, markup shown as text."""

import re
from typing import Final

from chalicelib.domain.page.text import kept

MOST: Final = 10
_MOST_LOOKED_UP: Final = 50  # different shortcodes of a page

# Every placeholder has one of these: looking for them costs next to nothing.
_SIGNS: Final = ("{", "[", "orem ipsum dolor sit amet")

_PATTERNS: Final = (
    ("lorem", re.compile(r"\blorem ipsum dolor sit amet\b", re.IGNORECASE)),
    ("template", re.compile(r"\{\{-?\s{0,20}[a-zA-Z_$][^{}\n]{0,80}\}\}|\{%-?\s{0,20}[a-z]{2,20}\b[^{}%\n]{0,80}%\}")),
    # [gallery ids="1,2"], [/vc_column]: a name with an attribute, or a closing one. Brackets in prose have neither.
    (
        "shortcode",
        re.compile(
            # Numbers first, then whatever follows the first quotation mark: matching each value apart would try
            # every way of sharing the text among them, which never ends.
            r"\[[a-z][a-z0-9_-]{1,40}(?:"
            r"(?:\s++[a-z_-]{1,30}=[0-9]{1,10})*+\s++[a-z_-]{1,30}=[\"'“”″][^\]\[\n]{0,600}"
            r"|(?:\s++[a-z_-]{1,30}=[0-9]{1,10})++\s*+/?)\]"
            r"|\[/(?!i\]|b\]|u\]|url\]|quote\]|code\]|img\])[a-z][a-z0-9_-]{2,40}\]"
        ),
    ),
    # [text](https://…), and headings that are still written with number signs.
    (
        "markdown",
        re.compile(
            r"\[[^\]\[\n]{1,80}\]\((?:https?://|/|#)[^()\s]{1,200}\)|(?:^|\n)[ \t]{0,20}#{2,6} [A-Z][^\n#]{2,80}"
        ),
    ),
)
# Pages whose braces a script fills in while they load: Vue, Alpine, Angular, Knockout, Handlebars.
_FILLED_BY_SCRIPT: Final = re.compile(
    r"\sv-(?:cloak|if|for|bind|text|html|on|model|show)\b|\sx-data\b|\sng-(?:app|controller|repeat|bind|cloak|if)\b"
    r"|\sdata-ng-|\sdata-bind=|\*ngIf|\sdata-v-app\b|petite-vue|text/x-(?:handlebars|template)"
)


def may_hold(text: str) -> bool:
    """Whether a text needs to be looked through at all."""
    return any(sign in text for sign in _SIGNS) or ("#" in text and "## " in text)


def _is_shortcode(found: str, text: str) -> bool:
    """Whether a closing one closes anything, or is named like a plugin's: manuals write options as ``[/version]``."""
    if not found.startswith("[/"):
        return True
    name = found[2:-1]
    return "_" in name or "-" in name or f"[{name}]" in text or f"[{name} " in text


def find(text: str, html: str) -> list[tuple[str, str]]:
    """Placeholders in a text without code samples, one of each wording: ``(kind, excerpt)``.

    ``html`` is the page as it came: template code that a script of the page fills in is none.
    """
    found: dict[tuple[str, str], None] = {}
    closes: dict[str, bool] = {}  # shortcodes looked up
    for kind, pattern in _PATTERNS:
        matches = pattern.finditer(text)
        if kind == "template" and pattern.search(text) and _FILLED_BY_SCRIPT.search(html):
            continue
        for match in matches:
            if kind == "shortcode":
                code = match[0]
                if code not in closes:
                    if len(closes) == _MOST_LOOKED_UP:
                        break
                    closes[code] = _is_shortcode(code, text)
                if not closes[code]:
                    continue
            found[kind, kept(match[0], 100)] = None
            if len(found) == MOST:
                return list(found)
    return list(found)
