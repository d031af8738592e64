"""Finds texts that were published by accident: filler, template code that was not filled in, markup shown as text."""

import re
from typing import Final

from chalicelib.domain.page.seo_variables import variable_in
from chalicelib.domain.page.text import kept

MOST: Final = 10
_MOST_LOOKED_UP: Final = 50  # different findings of a page that are looked at closely
_AROUND: Final = 150  # characters before and after a finding

# Every placeholder of a kind contains one of these; searching for them is cheap.
_SIGNS: Final = {
    "lorem": ("orem ipsum dolor sit amet", "adipiscing elit"),
    "template": ("{{", "{%"),
    "shortcode": ("[",),
    "markdown": ("](", "## "),
}
# One character is found many times faster than two together, and most pages have none of these.
_FIRST: Final = {"template": "{", "shortcode": "[", "markdown": "]#"}

# {{ product.care }}, {{ title | escape }}, {{ date | format: "Y" }}: names of three or more characters, with their
# parts and filters. Anything else in braces is notation: {{first, others...}}, {{X}}.
_TEMPLATE: Final = re.compile(
    r"(?<!\{)\{\{-?\s{0,20}(?=[\w$.]{3})[a-zA-Z_$][\w$]{0,60}(?:\.[\w$]{1,60}){0,8}"
    r"(?:\s{0,9}\|\s{0,9}[a-z_]\w{0,40}(?:\s{0,9}:[^{}|\n]{0,60}|\([^{}()|\n]{0,60}\))?){0,5}\s{0,20}-?\}\}(?!\})"
    r"|\{%-?\s{0,20}[a-z]{2,20}\b[^{}%\n]{0,80}%\}"
)

_PATTERNS: Final = (
    (
        "lorem",
        re.compile(
            r"\blorem ipsum dolor sit amet\b(?:,? consectetue?r adipiscing elit\b)?|\bconsectetue?r adipiscing elit\b",
            re.IGNORECASE,
        ),
    ),
    ("template", _TEMPLATE),
    # [gallery ids="1,2"], [/vc_column]: a name with an attribute, or a closing tag. Brackets in prose have neither.
    (
        "shortcode",
        re.compile(
            # Numbers first, then whatever follows the first quotation mark: a pattern for each value would try
            # every way to divide the text among the values, which takes far too long.
            r"\[[a-z][a-z0-9_-]{1,40}(?:"
            r"(?:\s++[a-z_-]{1,30}+=[0-9]{1,10}+)*\s++[a-z_-]{1,30}=[\"'“”″][^\]\[\n]{0,600}"
            r"|(?:\s++[a-z_-]{1,30}+=[0-9]{1,10}+)+\s*+/?)\]"
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
# Words of filler that are rare in real Latin.
_MOCK_LATIN: Final = re.compile(
    r"\b(?:adipiscing|consectetue?r|dapibus|faucibus|fermentum|lacinia|ligula|luctus|mattis|pellentesque|porttitor"
    r"|sagittis|sollicitudin|suspendisse|ullamcorper|vehicula|venenatis|vestibulum|vivamus)\b",
    re.IGNORECASE,
)
_LEAST_MOCK_LATIN: Final = 3
# Pages whose braces a script fills in on loading: Vue, Alpine, Angular, Knockout, Handlebars.
_FILLED_BY_SCRIPT: Final = re.compile(
    r"\sv-(?:cloak|if|for|bind|text|html|on|model|show)\b|\sx-data\b|\sng-(?:app|controller|repeat|bind|cloak|if)\b"
    r"|\sdata-ng-|\sdata-bind=|\*ngIf|\sdata-v-app\b|petite-vue|text/x-(?:handlebars|template)"
)
# Words near template code, shortcodes and markup that show that the text is about them.
_WRITTEN_ABOUT: Final = re.compile(
    r"\b(?:templates?|templating|syntax|placeholders?|variables?|macros?|expressions?|interpolat\w{2,5}|braces?|brackets?"
    r"|shortcodes?|markdown|markup|escap(?:e|ed|es|ing)|delimiters?|directives?|jinja2?|twig|nunjucks|handlebars|mustache"
    r"|moustache|smarty|django|vorlagen?|platzhalter|gabarits?|plantillas?|modell[io] di)\b",
    re.IGNORECASE,
)
# Words right before a shortcode that show that the text names it: "Saves putting [tag a="b"] in every page".
_NAMED: Final = re.compile(
    r"\b(?:us(?:e|es|ed|ing)|put(?:s|ting)?|writ(?:e|es|ten|ing)|typ(?:e|es|ed|ing)|insert(?:s|ed|ing)?"
    r"|past(?:e|es|ed|ing)|replac(?:e|es|ed|ing)|such as|for example|e\.g\.|i\.e\.)[\s,:]{1,3}(?:(?:a|an|the) )?\Z",
    re.IGNORECASE,
)
# Words anywhere on a page that is about template languages.
_ABOUT_TEMPLATES: Final = re.compile(
    r"\b(?:jinja2?|nunjucks|handlebars|mustache templates?|template (?:engines?|languages?|syntax|tags?|filters?)"
    r"|templating (?:engines?|languages?)|(?:double|curly) (?:curly )?(?:braces?|brackets?))\b",
    re.IGNORECASE,
)


def may_hold(text: str) -> bool:
    """Whether a text may contain a placeholder. This is a quick check before ``find``."""
    return any(_has_sign(kind, text) and pattern.search(text) is not None for kind, pattern in _PATTERNS)


def _has_sign(kind: str, text: str) -> bool:
    first = _FIRST.get(kind)
    if first is not None and not any(character in text for character in first):
        return False
    return any(sign in text for sign in _SIGNS[kind])


def is_filler(text: str) -> bool:
    """Whether a text is filler in mock Latin: it has at least three different words of such texts."""
    return len({word.lower() for word in _MOCK_LATIN.findall(text)}) >= _LEAST_MOCK_LATIN


def template_in(text: str) -> str | None:
    """Search a title or description for template code or an SEO plugin's variable that was not filled in, and return
    it.

    Returns None if the text contains neither, or if the text is about template code.
    """
    match = _TEMPLATE.search(text) if "{" in text else None
    found = match[0] if match is not None else variable_in(text)
    return found if found is not None and _WRITTEN_ABOUT.search(text.replace(found, " ")) is None else None


def _is_shortcode(found: str, text: str) -> bool:
    """Whether a match is a shortcode. A closing tag is one only if it closes something or has a plugin's name, because
    manuals write options as ``[/version]``."""
    if not found.startswith("[/"):
        return True
    name = found[2:-1]
    return "_" in name or "-" in name or f"[{name}]" in text or f"[{name} " in text


def find(text: str, html: str, code: str = "") -> list[tuple[str, str]]:
    """Find placeholders in a text without code samples. Returns ``(kind, excerpt)`` once for each wording.

    - ``html``: the page's source. Template code does not count if a script of the page fills it in.
    - ``code``: the text of the page's code samples. A wording that also occurs there does not count, because the page
      is about it.
    """
    found: dict[tuple[str, str], None] = {}
    for kind, pattern in _PATTERNS:
        if not _has_sign(kind, text):
            continue
        if kind == "template" and pattern.search(text) and _is_filled_in_or_explained(text, html):
            continue
        meant: dict[str, bool] = {}  # each wording, looked at once
        for match in pattern.finditer(text):
            wording = match[0]
            if wording not in meant:
                if len(meant) == _MOST_LOOKED_UP:
                    break
                meant[wording] = (
                    not _is_quoted(match, text) and wording not in code
                    if kind == "lorem"
                    else _is_left_behind(kind, match, text, code)
                )
            if meant[wording]:
                found[kind, kept(wording, 100)] = None
                if len(found) == MOST:
                    return list(found)
    return list(found)


def _is_filled_in_or_explained(text: str, html: str) -> bool:
    return _FILLED_BY_SCRIPT.search(html) is not None or _ABOUT_TEMPLATES.search(text) is not None


def _is_quoted(match: re.Match[str], text: str) -> bool:
    """Whether exactly these words are in quotation marks. The text is then about them."""
    before, after = text[max(0, match.start() - 1) : match.start()], text[match.end() : match.end() + 4]
    return before in ("“", '"', "„", "«", "‘", "'") and after.lstrip("….").startswith(("”", '"', "“", "»", "’", "'"))


def _is_shown(match: re.Match[str], text: str) -> bool:
    """Whether a text shows how a shortcode is written: in double brackets, or after a word such as "using"."""
    before = text[max(0, match.start() - 30) : match.start()]
    return (before[-1:] == "[" and text[match.end() : match.end() + 1] == "]") or _NAMED.search(before) is not None


def _is_left_behind(kind: str, match: re.Match[str], text: str, code: str) -> bool:
    """Whether a finding is a real leftover: not notation, not in a code sample, not in a sentence about such things."""
    wording = match[0]
    if wording.strip() in code:
        return False
    if kind == "shortcode" and (not _is_shortcode(wording, text) or _is_shown(match, text)):
        return False
    around = text[max(0, match.start() - _AROUND) : match.start()] + " " + text[match.end() : match.end() + _AROUND]
    return _WRITTEN_ABOUT.search(around) is None
