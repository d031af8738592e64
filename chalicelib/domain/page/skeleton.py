"""The shape of a page: a hash of its skeleton, equal for pages of one template.

The skeleton is the *set* of the structural elements near the root, each as tag, id and classes. Numbers and the page's
own slug are removed from id and classes, because they differ from page to page. Content elements and repetition do not
count, so a long article and a short one have the same shape.
"""

import hashlib
import re
from functools import lru_cache
from typing import Final

from selectolax.lexbor import LexborNode

from chalicelib.domain.page.markup import tag_ids

_STRUCTURE: Final = tag_ids("div section main article aside header footer nav form table frameset center")
_LEVELS: Final = 4
_MOST_ELEMENTS: Final = 400  # a bound for odd pages; ordinary skeletons have some dozens
_MOST_CLASSES: Final = 4
_INDEX_FILE: Final = re.compile(r"/(?:index|default)\.[a-z]{3,5}$", re.IGNORECASE)
_DIGITS: Final = re.compile(r"\d")
_OWN_CLASSES: Final = re.compile(
    r"(?:page|post|category|tag|term|author|user|entry|item|product|parent|ancestor|child|slug|path|section)[-_].+|"
    r"(?:is-|has-|no-)?js|logged-in|lang-.+|(?:is|has)-(?:active|open|current|sticky|loaded).*|active|current|open|hidden"
)
_KEPT_CLASSES: Final = re.compile(r"(?:page|post|product)-(?:template|type)(?:-[a-z]+)*|post-type-archive(?:-[a-z]+)?")


@lru_cache(maxsize=20_000)
def _clean(tag: int, identity: str | None, classes: str | None) -> str:
    kept = ""
    if identity and not _DIGITS.search(identity) and len(identity) <= 40:
        kept = "#" + identity
    if classes:
        tokens = [token for token in classes[:300].split() if _is_of_template(token)]
        kept = f"{kept}.{'.'.join(sorted(tokens[:_MOST_CLASSES]))}"
    return f"{tag}{kept}"


def _is_of_template(token: str) -> bool:
    if _DIGITS.search(token) or len(token) > 40:
        return False
    return _OWN_CLASSES.fullmatch(token) is None or _KEPT_CLASSES.fullmatch(token) is not None


def shape_of(body: LexborNode, url: str) -> str:
    """Return the hash (16 hex digits) of the skeleton below ``body``.

    ``url``: the page's address, which contains its slug. For an index file, such as ``index.html``, the slug is that of
    its folder, since the addresses of file and folder are one page.
    """
    path = _INDEX_FILE.sub("", url.partition("?")[0]).rstrip("/")
    name = path.rpartition("/")[2]
    slug = name.rpartition(".")[0] or name
    parts: set[str] = set()
    level = [body]
    room = _MOST_ELEMENTS
    for depth in range(_LEVELS):
        following: list[LexborNode] = []
        for parent in level:
            seen: set[str] = set()
            for node in parent.iter():
                tag = node.tag_id
                if tag not in _STRUCTURE:
                    continue
                attributes = node.attributes
                part = _clean(tag, attributes.get("id"), attributes.get("class"))
                if part in seen:  # a repeated block (a card, a row) adds nothing new
                    continue
                seen.add(part)
                if len(slug) < 4 or slug not in part:
                    parts.add(f"{depth}{part}")
                following.append(node)
        room -= len(following)
        if room < 0 or not following:
            break
        level = following
    return hashlib.blake2b("\n".join(sorted(parts)).encode("utf-8", "replace"), digest_size=8).hexdigest()
