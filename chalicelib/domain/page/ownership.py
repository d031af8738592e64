"""Recognises files that prove the ownership of a website to a search engine or a network. Such files look like pages,
but no visitor reads them."""

import re
from typing import Final
from urllib.parse import urlsplit

_LONGEST: Final = 2_000  # characters: such a file is a line, or that line in an empty page
_TAG: Final = re.compile(r"<[^<>]{0,1000}>")
_CODE: Final = r"[\w-]{8,80}"

# Name of the file, and the text in it. The file of Pinterest has its token in a <meta>, others in a line.
_FILES: Final = (
    (
        re.compile(r"google[0-9a-f]{12,20}\.html"),
        re.compile(r"google-site-verification:\s?google[0-9a-f]{12,20}\.html"),
    ),
    (re.compile(r"yandex_[0-9a-f]{12,20}\.html"), re.compile(r"verification:\s?[0-9a-f]{12,20}", re.IGNORECASE)),
    (re.compile(r"naver[0-9a-f]{20,40}\.html"), re.compile(r"naver-site-verification:\s?naver[0-9a-f]{20,40}\.html")),
    (re.compile(r"baidu_verify_[\w-]{8,40}\.html"), re.compile(_CODE)),
    (re.compile(r"pinterest-[\w-]{4,40}\.html"), re.compile(rf"(?:pinterest-)?(?:{_CODE})?(?:\.html)?")),
    (
        re.compile(r"BingSiteAuth\.xml|y_key_\w{8,40}\.html|norton_\w{8,80}\.html", re.IGNORECASE),
        re.compile(rf"(?:{_CODE})?"),
    ),
    # Facebook's file: nothing but a token, which is also the file's name.
    (re.compile(r"[0-9a-z]{24,40}\.html"), re.compile(r"[0-9a-z]{24,40}")),
)


def is_ownership_file(url: str, html: str) -> bool:
    """Whether a file has the name of an ownership file and contains nothing but its token."""
    if len(html) > _LONGEST:
        return False
    name = urlsplit(url).path.rpartition("/")[2]
    for names, texts in _FILES:
        if names.fullmatch(name) is not None:
            text = " ".join(_TAG.sub(" ", html).split())
            return texts.fullmatch(text) is not None
    return False
