"""Reads and writes the alt text of a shop's file.

Shopify stores the alt text with the file, so all pages that show the file have the same text. The API's search also
finds files whose names only contain the search words. So this module compares the exact name.
"""

import re
from collections.abc import Sequence
from typing import Annotated, Final, Literal

from msgspec import Meta

from chalicelib.domain.connector.messages import MOST_ALT
from chalicelib.domain.connector.shop import Answer, PageInfo
from chalicelib.domain.connector.shop_keyed import INSTALLATION, Errors, Id, Manner, Noted, Text
from chalicelib.domain.crawl.shop_addresses import Named
from chalicelib.domain.ids import digest

LOST: Final = "The shop has no file of this name any more: check the page again."
UNCLEAR: Final = "Several files of the shop may be this picture, so the service does not write the picture's text."
FAILED: Final = "Shopify could not process the file: upload it again in the shop."
PROCESSING: Final = "Shopify is processing the file."
NOT_ONE_LINE: Final = f"A text of a picture is one line with at most {MOST_ALT} characters."

# Error codes for a file that another operation is using.
LATER: Final = frozenset({"FILE_LOCKED", "MEDIA_CANNOT_BE_MODIFIED", "NON_READY_STATE"})
MOST_FILES: Final = 100  # in one answer
MOST_PAGES: Final = 5  # of files with similar names

_ID: Final = re.compile(r"gid://shopify/MediaImage/[0-9]{1,20}")

FIND: Final = """query FindFiles($first: Int!, $after: String, $query: String!) {
  files(first: $first, after: $after, query: $query, sortKey: ID) {
    pageInfo { hasNextPage endCursor }
    nodes { __typename ... on MediaImage { id image { url } } }
  }
}"""
READ: Final = f"""query ReadFile($id: ID!, $key: String!) {{
  {INSTALLATION}
  node(id: $id) {{ __typename ... on MediaImage {{ id alt fileStatus }} }}
}}"""
WRITE: Final = """mutation WriteFile($files: [FileUpdateInput!]!) {
  written: fileUpdate(files: $files) {
    files { __typename ... on MediaImage { id alt fileStatus } }
    userErrors { field message code }
  }
}"""

Status = Literal["UPLOADED", "PROCESSING", "READY", "FAILED"]


class _Picture(Answer, frozen=True):
    url: Text


class File(Answer, frozen=True, kw_only=True):
    """A file of the shop. Files that are not images have only empty members.

    ``image``: None if the shop has not processed the image yet.
    """

    id: Id = ""
    image: _Picture | None = None
    alt: Text | None = None
    file_status: Status = "READY"


class _Files(Answer, frozen=True):
    page_info: PageInfo
    nodes: Annotated[list[File], Meta(max_length=MOST_FILES)]


class Found(Answer, frozen=True):
    """A page of files."""

    files: _Files


class ReadFile(Noted, frozen=True, kw_only=True):
    """A file with its alt text, and the service's note about the last change of this text."""

    node: File | None = None


class WrittenFiles(Errors, frozen=True, kw_only=True):
    """The part of the answer to the mutation ``WRITE`` that has the files and the errors."""

    files: Sequence[File] | None = None


class WrittenFile(Answer, frozen=True):
    """The ``data`` of the answer to the mutation ``WRITE``."""

    written: WrittenFiles


def only_one(asked: Named, files: Sequence[File]) -> str | None:
    """Return the id of the requested file among the search results; None if it is not there.

    Raises ``Unclear`` if several files match.
    """
    ids = {
        file.id for file in files if file.image is not None and asked.is_of(file.image.url) and _ID.fullmatch(file.id)
    }
    if len(ids) > 1:
        raise Unclear
    return next(iter(ids), None)


class Unclear(Exception):
    """Raised when several files may be the requested one."""


def note_key(file_id: str) -> str:
    """Return the key of the metafield that holds the note about the last change of a file's alt text."""
    return f"alt-{digest(file_id).hex()[:32]}"


def is_text(value: str | None) -> bool:
    """Whether the text can be sent to the shop. "" and None mean the same there, because Shopify cannot mark an image
    as decorative."""
    if not value:
        return True
    return bool(value.strip()) and len(value) <= MOST_ALT and not any(ord(character) < 32 for character in value)


TEXTS: Final = Manner(lambda stored: stored or "")
