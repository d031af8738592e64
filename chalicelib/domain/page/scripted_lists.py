"""Lists that a script framework fills in the browser. The HTML contains the template of an entry, but no entries."""

import re
from collections.abc import Callable, Sequence
from typing import Final

from selectolax.lexbor import LexborNode

from chalicelib.domain.page.extract_refresh import Resolver
from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.page.markup import tag_ids, within
from chalicelib.domain.page.tree import Found

MOST_NAMED: Final = 1_000  # addresses
_MOST_FORMS: Final = 50
_MOST_TARGETS: Final = 20
_MOST_LISTS: Final = 20
_LEVELS_UP: Final = 40
_LONGEST_ENTRY: Final = 20_000  # characters of a template's markup that are looked at
_MOST_CHARACTERS: Final = 500_000  # of scripts

# AngularJS, Vue (and petite-vue), Alpine, Knockout.
_REPEATED: Final = "[ng-repeat],[data-ng-repeat],[x-ng-repeat],[v-for],[x-for],[data-bind*=foreach]"
# A link, or an element that a framework's router turns into a link.
_LINK: Final = re.compile(r"<(?:a|router-link|nuxt-link)\b[^<>]{0,2000}?\b(?:href|to)\s{0,4}=", re.IGNORECASE)
# Menus, and baskets in the header, are not lists of the page's content.
_AROUND_THE_TEXT: Final = tag_ids("nav header footer aside dialog")
_NO_DATA: Final = "ld+json"  # structured data describes the page; no list is filled from it
# An address in a script: a text in quotation marks that begins at the root, or with the scheme.
_ADDRESS: Final = re.compile(r"[\"'`]((?:https?:)?/[^\"'`\s<>{}\\]{1,300})[\"'`]")
# Attributes of AngularJS. Only AngularJS fills in addresses written as text; other frameworks bind them (:href).
_ANGULAR: Final = re.compile(r"\s(?:data-|x-)?ng-(?:app|controller|repeat|bind|cloak|if)\b")
_VARIABLE: Final = re.compile(r"\{\{.{1,200}?\}\}|\[\[.{1,200}?\]\]|%7B%7B.{1,200}?%7D%7D|%5B%5B.{1,200}?%5D%5D", re.I)
# Hidden fields that name the page which follows a form: _next, redirect_to, success-url.
_AFTERWARDS: Final = re.compile(r"_?(?:next|redirect|return|success|thank)", re.IGNORECASE)


def fills_in_addresses(html: str) -> bool:
    """Whether scripts replace variables in the page's addresses while the page loads."""
    return _ANGULAR.search(html) is not None


def is_variable(href: str) -> bool:
    """Whether an address contains a variable, in the braces or brackets that frameworks use."""
    may_be = "{{" in href or "[[" in href or "%7" in href or "%5" in href  # true of few addresses
    return may_be and _VARIABLE.search(href) is not None


def read_lists(
    facts: PageFacts, root: LexborNode, scripts: Found, resolver: Resolver, internal: Callable[[str], bool]
) -> None:
    """Fill ``fills_list`` and ``listed_by_script`` if the page contains the template of a list of links."""
    nodes = root.css(_REPEATED)[:_MOST_LISTS]
    lists = [node for node in nodes if _LINK.search((node.html or "")[:_LONGEST_ENTRY]) is not None]
    if not lists or not facts.scripts:
        return
    facts.fills_list = any(within(node, _AROUND_THE_TEXT, _LEVELS_UP) is None for node in lists)
    texts = [node.attributes.get("x-data") or "" for node in root.css("[x-data]")[:_MOST_LISTS]]
    texts += [node.text() for _, node in scripts if _NO_DATA not in (node.attributes.get("type") or "").lower()]
    facts.listed_by_script = _addresses(texts, facts.url, resolver, internal)


def _addresses(texts: Sequence[str], page_url: str, resolver: Resolver, internal: Callable[[str], bool]) -> list[str]:
    found: dict[str, None] = {}
    room = _MOST_CHARACTERS
    for text in texts:
        for match in _ADDRESS.finditer(text[:room].replace("\\/", "/")):
            url = resolver.resolve(match[1])
            if url is not None and url != page_url and internal(url):
                found[url] = None
                if len(found) == MOST_NAMED:
                    return list(found)
        room -= len(text)
        if room <= 0:
            break
    return list(found)


def read_form_targets(facts: PageFacts, forms: Found, resolver: Resolver, internal: Callable[[str], bool]) -> None:
    """Fill ``form_targets``: the website's addresses that forms name as their action or in a hidden field."""
    for _, node in forms[:_MOST_FORMS]:
        written = [node.attributes.get("action")]
        for field in node.css("input[type=hidden][name][value]")[:_MOST_TARGETS]:
            value = (field.attributes.get("value") or "").strip()
            if value.startswith(("/", "http")) and _AFTERWARDS.match(field.attributes.get("name") or ""):
                written.append(value)
        for address in written:
            url = resolver.resolve(address) if address else None
            if url is None or url == facts.url or url in facts.form_targets or not internal(url):
                continue
            if len(facts.form_targets) == _MOST_TARGETS:
                return
            facts.form_targets.append(url)
