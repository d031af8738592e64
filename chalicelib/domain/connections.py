"""The connections of a website to its CMS or shop and to sources of data about it. This module also decides how an
answer of the CMS, shop or source changes the connection, and when a connection counts as broken."""

from typing import Final, Literal, get_args

import msgspec

WriterKind = Literal["cms", "shop"]  # connections that values are written through
WRITER_KINDS: Final[tuple[WriterKind, ...]] = get_args(WriterKind)

SourceKind = Literal["search", "analytics"]  # connections that data is read from
SOURCE_KINDS: Final[tuple[SourceKind, ...]] = get_args(SourceKind)

CHECK_SECONDS: Final = 6 * 3_600.0  # between two checks of a connection that works
# Refused access breaks a connection at once. Other failures break it after this many in a row, over at least this time.
# After the first failures, the next check comes sooner; after these, a broken connection is checked once an hour.
BROKEN_FAILURES: Final = 3
BROKEN_SECONDS: Final = 15 * 60.0
FAILING_SECONDS: Final = 7.5 * 60.0
BROKEN_CHECK_SECONDS: Final = 3_600.0
LONGEST_ERROR: Final = 300
STALE_SECONDS: Final = 7 * 86_400.0  # a connection that has been broken this long is reported once more


def job_id(kind: WriterKind) -> str:
    """Return the id of the job that checks this connection of a website regularly. There is one job per connection."""
    return f"connection_status.{kind}"


def sync_job_id(kind: WriterKind) -> str:
    """Return the id of the job that imports all content of a website's CMS or shop."""
    return f"content_sync.{kind}"


class WriterStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The status that a CMS or shop reports.

    - ``reason``: why the connection cannot write, in the words of the CMS or shop.
    - ``fields`` and ``files``: the fields and files that the connection can write.
    - ``seo_plugin``: the plugin whose fields it writes; None if it uses its own.
    - ``title_case``: how the website changes the letter case of titles; None if it does not.
    - ``page_caches``: the active page caches.
    - ``robots_file``: who answers robots.txt, such as ``virtual`` for the CMS itself.
    - ``platform``: the CMS or shop system, such as WordPress.
    - ``version``: the version of the connector.
    - ``index_now_sender``: the name of another sender in the CMS that submits changes by IndexNow, such as an SEO
      plugin; None without one.
    - ``redirects``: whether the CMS can redirect addresses at which the website has no page.
    """

    writable: bool
    platform: str
    version: str
    fields: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    reason: str | None = None
    seo_plugin: str | None = None
    title_case: str | None = None
    page_caches: tuple[str, ...] = ()
    robots_file: str | None = None
    index_now_sender: str | None = None
    redirects: bool = False


class Writer(msgspec.Struct, frozen=True, kw_only=True):
    """A website's connection to its CMS or shop, stored in the website's record. Times are epoch seconds.

    - ``status``: the last reported status. ``checked_at``: when it was reported.
    - ``failures``: how many times in a row the connection failed. ``failing_since``: the time of the first of these
      failures.
    - ``error``: the reason of the last failure.
    - ``broken``: whether writing is stopped until the connection answers again.
    - ``imported_at``: when the connection last sent content items.
    - ``imported_items``: how many items it sent.
    - ``import_error``: what went wrong when the service last requested all items; None if nothing did.
    """

    kind: WriterKind
    base_url: str
    connected_at: float
    status: WriterStatus
    checked_at: float
    failures: int = 0
    failing_since: float | None = None
    error: str | None = None
    broken: bool = False
    imported_at: float | None = None
    imported_items: int | None = None
    import_error: str | None = None

    @property
    def trouble(self) -> str | None:
        """The last error, in words; None if there is none."""
        return self.error or self.import_error

    @property
    def broken_since(self) -> float | None:
        """When the connection broke: the time of the first failure. None if it works."""
        return self.failing_since if self.broken else None

    @property
    def writable(self) -> bool:
        return self.status.writable and not self.broken

    @property
    def reason(self) -> str | None:
        """Why nothing can be written, in words; None if something can be written."""
        if self.broken:
            return f"The connection does not work: {self.error}"
        if self.status.writable:
            return None
        return self.status.reason or "The connection can be read but not written."

    @property
    def next_check(self) -> float:
        """The seconds from one check of the connection to the next."""
        if self.failures >= BROKEN_FAILURES and self.broken:
            return BROKEN_CHECK_SECONDS
        return FAILING_SECONDS if self.failures else CHECK_SECONDS

    def answered(self, status: WriterStatus, now: float) -> "Writer":
        """Return the connection after it reported its status."""
        return msgspec.structs.replace(
            self, status=status, checked_at=now, failures=0, failing_since=None, error=None, broken=False
        )

    def refused(self, error: str, now: float) -> "Writer":
        """Return the connection after it refused access."""
        return msgspec.structs.replace(self.failed(error, now), broken=True)

    def failed(self, error: str, now: float) -> "Writer":
        """Return the connection after a failure other than refused access."""
        failures, since = self.failures + 1, now if self.failing_since is None else self.failing_since
        return msgspec.structs.replace(
            self,
            failures=failures,
            failing_since=since,
            error=error[:LONGEST_ERROR],
            broken=self.broken or (failures >= BROKEN_FAILURES and now - since >= BROKEN_SECONDS),
        )

    def imported(self, items: int, now: float, error: str | None) -> "Writer":
        """Return the connection after it sent all its content items. ``error``: what was wrong with some of the
        items."""
        return msgspec.structs.replace(self.not_imported(error), imported_at=now, imported_items=items)

    def not_imported(self, error: str | None) -> "Writer":
        """Return the connection after it was asked for its content items and did not send all of them."""
        return msgspec.structs.replace(self, import_error=None if error is None else error[:LONGEST_ERROR])


class Progress(msgspec.Struct, frozen=True, array_like=True):
    """The progress of an import. ``days``: how many days of data are imported. ``of``: how many there are in all."""

    days: int
    of: int


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A source of data about a website, stored in the website's record. Times are epoch seconds.

    - ``name``: its name at the provider.
    - ``account``: the account that reads it, for display.
    - ``broken_since``: since when access is refused; ``error`` is the reason. The service keeps trying.
    - ``imported_at``: when an import last finished.
    - ``imported_rows``: the number of rows in this import.
    - ``progress``: the progress of a running import.
    - ``waiting``: why the import is paused, or why the last one failed.
    """

    kind: SourceKind
    name: str
    account: str
    connected_at: float
    broken_since: float | None = None
    error: str | None = None
    imported_at: float | None = None
    imported_rows: int | None = None
    progress: Progress | None = None
    waiting: str | None = None

    @property
    def broken(self) -> bool:
        return self.broken_since is not None

    @property
    def trouble(self) -> str | None:
        """The last error, in words; None if there is none."""
        return self.error or self.waiting

    def refused(self, error: str, now: float) -> "Source":
        """Return the connection after its access was refused."""
        since = now if self.broken_since is None else self.broken_since
        return msgspec.structs.replace(self, broken_since=since, error=error[:LONGEST_ERROR], waiting=None)

    def restored(self) -> "Source":
        """Return the connection after it answered again."""
        return msgspec.structs.replace(self, broken_since=None, error=None, waiting=None)

    def waits(self, reason: str) -> "Source":
        """Return the connection while its import is paused for a reason other than refused access."""
        return msgspec.structs.replace(self, waiting=reason[:LONGEST_ERROR])

    def importing(self, progress: Progress) -> "Source":
        """Return the connection after a part of its data was imported."""
        return msgspec.structs.replace(self.restored(), progress=progress)

    def imported(self, rows: int, now: float) -> "Source":
        """Return the connection after all of its data was imported."""
        return msgspec.structs.replace(self.restored(), progress=None, imported_at=now, imported_rows=rows)


class Connections(msgspec.Struct, frozen=True, kw_only=True):
    """The connections stored in a website's record. A connection is None if it does not exist."""

    cms: Writer | None = None
    shop: Writer | None = None
    search: Source | None = None
    analytics: Source | None = None

    def of(self, kind: WriterKind) -> Writer | None:
        return self.cms if kind == "cms" else self.shop

    def after_import(self, items: int, now: float) -> "Connections":
        """Return the connections after content items were received.

        The items do not say which connection sent them. If there are two, they count as sent by the connection that
        writes values.
        """
        writer = self.writer
        if writer is None:
            return self
        return self.with_writer(writer.kind, msgspec.structs.replace(writer, imported_at=now, imported_items=items))

    def with_writer(self, kind: WriterKind, writer: Writer | None) -> "Connections":
        return msgspec.structs.replace(self, **{kind: writer})

    def source(self, kind: SourceKind) -> Source | None:
        found: Source | None = getattr(self, kind)
        return found

    def with_source(self, kind: SourceKind, source: Source | None) -> "Connections":
        return msgspec.structs.replace(self, **{kind: source})

    @property
    def writer(self) -> Writer | None:
        """The connection through which values are written: that of the CMS, or else that of the shop."""
        return self.cms or self.shop

    @property
    def writes_shop(self) -> bool:
        """Whether values are written to a shop."""
        return self.writer is not None and self.writer.kind == "shop"
