"""Writes alt texts and redirects in a shop. A note (a metafield of the app) says what was written last. A write takes
three requests: read the value and the last note, store a new note, write the value.

Only the third request changes what visitors see. So errors of the first two requests have ``sent`` False, which means
that certainly nothing was changed.
"""

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Protocol, TypeVar

import msgspec

from chalicelib import clock
from chalicelib.connectors.errors import OutsideError, Unavailable
from chalicelib.domain.connector import shop as api
from chalicelib.domain.connector import shop_images as images
from chalicelib.domain.connector import shop_redirects as redirects
from chalicelib.domain.connector.messages import Change, Outcome
from chalicelib.domain.connector.shop_keyed import Installation, Manner, Step, decided, mutation_of
from chalicelib.domain.connector.shop_notes import CHANGING, Note, is_stale, refused, words
from chalicelib.domain.crawl.shop_addresses import Named, named
from chalicelib.domain.crawl.urls import host_key

TRIES: Final = 3  # tries to store a note while others change it
READS: Final = 4  # reads of a file until its new text shows
WAIT: Final = 1.0  # seconds before each read
SENSELESS: Final = "The shop answered, but not as Shopify's Admin API does."

Data = TypeVar("Data")


class Ask(Protocol):
    """A function that makes one request to the shop, within the time limit for the whole change."""

    def __call__(self, document: str, variables: Mapping[str, Any], data: type[Data], /) -> Data: ...


class _Read(NamedTuple):
    stored: str | None
    installation: Installation


class _Value(Protocol):
    """An alt text or a redirect that a change will write. ``value``: the change's value, in the form in which the shop
    stores it."""

    @property
    def value(self) -> str | None: ...

    @property
    def manner(self) -> Manner: ...

    @property
    def note_key(self) -> str: ...

    def read(self, ask: Ask) -> _Read | Outcome:
        """Read the value that the shop stores now. If the shop has no matching file or redirect, returns an ``Outcome``
        with the refusal."""

    def blocked(self) -> Outcome | None:
        """Return why the value cannot be written, in words; None if it can. Call it after ``read``. Raises
        ``Unavailable`` if the reason is temporary."""

    def write(self, note: Note, ask: Ask) -> Outcome:
        """Write ``note.value``. Call it after ``read``."""


class _Mutated(msgspec.Struct, frozen=True):
    written: api.Written


def change_alt(change: Change, ask: Ask) -> Outcome:
    """Write the alt text of the file behind an image. May raise every ``OutsideError``."""
    address = (change.key or "").rpartition(" ")[0]
    found = named(address, host_key(change.url))
    if isinstance(found, str):
        return refused(found)
    if not images.is_text(change.value):
        return refused(images.NOT_ONE_LINE)
    return _change(change, _Text(found, change.value or ""), ask)


def change_redirect(change: Change, ask: Ask) -> Outcome:
    """Write or delete a redirect. May raise every ``OutsideError``."""
    wrong = redirects.fault(change)
    if wrong is not None:
        return refused(wrong)
    wanted = _Redirect(
        change.key or "", redirects.target_of(change), redirects.manner_of(change), redirects.id_of(change)
    )
    return _change(change, wanted, ask)


def _change(change: Change, wanted: _Value, ask: Ask) -> Outcome:
    for _ in range(TRIES):
        with _nothing_sent():
            step = _step(change, wanted, ask)
        if step is None:
            continue
        if isinstance(step, Outcome):
            return step
        note, manner = step.note, wanted.manner
        if manner.same(note.before, note.value):
            return manner.outcome(note.before, note.value)
        return wanted.write(note, ask)
    raise Unavailable(CHANGING, sent=False)


def _step(change: Change, wanted: _Value, ask: Ask) -> Step | Outcome | None:
    """Decide what to write, and store the note. Returns None if a concurrent change has stored a note meanwhile."""
    read = wanted.read(ask)
    if isinstance(read, Outcome):
        return read
    step = decided(change, wanted.value, read.stored, read.installation.note, wanted.manner)
    if isinstance(step, Outcome):
        return step
    blocked = wanted.blocked()
    if blocked is not None or step.stands:
        return blocked or step
    document, variables = mutation_of(step.note, wanted.note_key, read.installation)
    errors = ask(document, variables, _Mutated).written.user_errors
    if is_stale(errors):
        return None
    return _refusal(errors) if errors else step


@contextlib.contextmanager
def _nothing_sent() -> Iterator[None]:
    try:
        yield
    except OutsideError as error:
        error.sent = False
        raise


def _refusal(errors: list[api.UserError]) -> Outcome:
    return refused(f"The shop refused the value: {words(errors)}")


# -- alt texts ---------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Text:
    """The alt text of a file. ``file``: found by its name, once."""

    asked: Named
    value: str | None
    file: images.File | None = None
    manner: Manner = field(default=images.TEXTS)

    @property
    def note_key(self) -> str:
        return images.note_key("" if self.file is None else self.file.id)

    def read(self, ask: Ask) -> _Read | Outcome:
        if self.file is None:
            try:
                file_id = self._find(ask)
            except images.Unclear:
                return refused(images.UNCLEAR)
            if file_id is None:
                return refused(images.LOST)
            self.file = images.File(id=file_id)
        found = ask(images.READ, {"id": self.file.id, "key": self.note_key}, images.ReadFile)
        if found.node is None or found.node.id != self.file.id:
            return refused(images.LOST)
        self.file = found.node
        return _Read(found.node.alt, found.current_app_installation)

    def _find(self, ask: Ask) -> str | None:
        files: list[images.File] = []
        after = None
        for _ in range(images.MOST_PAGES):
            wanted = {"first": images.MOST_FILES, "after": after, "query": self.asked.query}
            found = ask(images.FIND, wanted, images.Found).files
            files += found.nodes
            after = found.page_info.end_cursor
            if not found.page_info.has_next_page or after is None:
                return images.only_one(self.asked, files)
        raise images.Unclear

    def blocked(self) -> Outcome | None:
        status = "READY" if self.file is None else self.file.file_status
        if status == "FAILED":
            return refused(images.FAILED)
        if status != "READY":
            raise Unavailable(images.PROCESSING)
        return None

    def write(self, note: Note, ask: Ask) -> Outcome:
        assert self.file is not None  # ``read`` has found the file
        # "" removes the text even if the shop would ignore null.
        for alt in (note.value,) if note.value is not None else (None, ""):
            asked = {"files": [{"id": self.file.id, "alt": alt}]}
            answer = ask(images.WRITE, asked, images.WrittenFile).written
            errors = list(answer.user_errors)
            if any(error.code in images.LATER for error in errors):
                raise Unavailable(f"The file is not ready: {words(errors)}", sent=False)
            if errors:
                return _refusal(errors)
            shown = answer.files[0] if answer.files else None
            if shown is not None and self.manner.same(shown.alt, note.value):
                break
        for _ in range(READS):
            if shown is not None and self.manner.same(shown.alt, note.value):
                return self.manner.outcome(note.before, shown.alt)
            if shown is not None and shown.file_status == "FAILED":
                return refused(images.FAILED)
            clock.sleep(WAIT)
            shown = ask(images.READ, {"id": self.file.id, "key": self.note_key}, images.ReadFile).node
        raise Unavailable(images.PROCESSING)


# -- redirects ---------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Redirect:
    """The redirect of a path. ``known``: the id that an undo names. ``found``: the redirect that the shop has."""

    key: str
    value: str | None
    compared: Manner
    known: str | None
    found: redirects.Redirect | None = None

    @property
    def note_key(self) -> str:
        return redirects.note_key(self.key)

    @property
    def manner(self) -> Manner:
        return self.compared._replace(id=None if self.found is None else self.found.id)

    def read(self, ask: Ask) -> _Read | Outcome:
        if self.known is not None:  # the list may not show the redirect yet
            read = self._by_id(self.known, ask)
            if self.found is not None and redirects.same_path(self.found.path, self.key):
                return read
        after = None
        for _ in range(redirects.MOST_PAGES):
            asked = {
                "first": redirects.MOST_REDIRECTS,
                "after": after,
                "query": redirects.query_of(self.key),
                "key": self.note_key,
            }
            page = ask(redirects.FIND, asked, redirects.Found)
            listed = redirects.of_path(self.key, page.url_redirects.nodes)
            after = page.url_redirects.page_info.end_cursor
            if listed is not None:
                return self._by_id(listed.id, ask)  # the list may be older than the redirect itself
            if not page.url_redirects.page_info.has_next_page or after is None:
                self.found = None
                return _Read(None, page.current_app_installation)
        return refused(redirects.UNCLEAR)

    def _by_id(self, redirect_id: str, ask: Ask) -> _Read:
        read = ask(redirects.READ, {"id": redirect_id, "key": self.note_key}, redirects.ReadRedirect)
        self.found = read.url_redirect
        return _Read(None if self.found is None else self.found.target, read.current_app_installation)

    def blocked(self) -> Outcome | None:
        return None

    def write(self, note: Note, ask: Ask) -> Outcome:
        if note.value is None:
            return self._delete(note, ask)
        if self.found is None:
            asked: dict[str, Any] = {"redirect": {"path": self.key, "target": note.value}}
            answer = ask(redirects.CREATE, asked, redirects.WrittenRedirect).written
        else:
            asked = {"id": self.found.id, "redirect": {"path": self.found.path, "target": note.value}}
            answer = ask(redirects.UPDATE, asked, redirects.WrittenRedirect).written
        errors = list(answer.user_errors)
        if self.found is None and "taken" in words(errors).lower():
            raise Unavailable(redirects.NOT_LISTED, sent=False)
        if self.found is not None and any(error.code == redirects.MISSING for error in errors):
            raise Unavailable(redirects.GONE, sent=False)
        if errors:
            return _refusal(errors)
        written = answer.url_redirect
        if written is None:
            raise Unavailable(SENSELESS)
        if not redirects.same_path(written.path, self.key):
            if self.found is None:  # delete only a new redirect; an updated redirect existed before
                ask(redirects.DELETE, {"id": written.id}, redirects.WrittenRedirect)
            return refused(redirects.OTHER_PATH)
        self.found = written
        return self.manner.outcome(note.before, written.target)

    def _delete(self, note: Note, ask: Ask) -> Outcome:
        if self.found is not None:
            answer = ask(redirects.DELETE, {"id": self.found.id}, redirects.WrittenRedirect).written
            if any(error.code != redirects.MISSING for error in answer.user_errors):
                return _refusal(list(answer.user_errors))
        self.found = None
        return self.manner.outcome(note.before, None)
