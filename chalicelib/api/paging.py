"""Computes the item with which an answer begins, from the parameters ``page`` and ``per`` or from ``offset``."""

from typing import Any, Final, Protocol

from chalicelib.http.parameters import Check, integer


class Paged(Protocol):
    """The parameters of a list. A client reads the list by ``page`` and ``per``, or from ``offset`` on."""

    @property
    def page(self) -> int: ...
    @property
    def per(self) -> int: ...
    @property
    def offset(self) -> int | None: ...


def offset_instead_of_page() -> Any:
    """Declare the parameter ``offset`` of a list, which clients may send instead of ``page``."""
    return integer(
        "First item to list, instead of `page`: the `nextOffset` of the previous answer.", default=None, minimum=0
    )


ONE_START: Final = Check(
    "bad_offset",
    lambda sent: sent.offset is None or sent.page == 1,
    "{offset} and {page} both say where the list begins; send one of them.",
    "offset",
)


def start(sent: Paged) -> int:
    """Return the number of items before the first requested item."""
    return (sent.page - 1) * sent.per if sent.offset is None else sent.offset


def page_of(sent: Paged) -> int:
    """Return the number of the page that has the first item of the answer."""
    return sent.page if sent.offset is None else sent.offset // sent.per + 1


def following(begins: int, shown: int, total: int) -> int | None:
    """Return the offset of the first item after those shown. Returns None if no item follows."""
    return begins + shown if begins + shown < total else None
