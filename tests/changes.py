"""A website whose pages show what its CMS holds, audited and connected: for tests of approved changes."""

import atexit
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from html import escape
from types import MappingProxyType
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit

import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import OPERATOR, Actor
from chalicelib.domain.audit.issues import Issue, IssueBook
from chalicelib.domain.changes.batch import Batch, Change, FileField, job_id
from chalicelib.domain.changes.proposal import Wish
from chalicelib.domain.connections import WriterKind
from chalicelib.domain.page.images import key_of
from chalicelib.domain.readiness.robots_block import with_block
from chalicelib.domain.readiness.written import CrawlerRule
from chalicelib.domain.webhooks.events import Event
from chalicelib.operations import accounts, alt_texts, changes, connections, content, files, redirects
from chalicelib.operations.approvals import Approver
from chalicelib.settings.reading import forget_settings
from chalicelib.store import changes as stored
from chalicelib.store import connections as stored_connections
from chalicelib.store import content as stored_content
from chalicelib.store import issues, items, jobs, keys, queues, readiness
from chalicelib.store import websites as records
from chalicelib.store.changes import Loaded
from chalicelib.store.websites import Website
from chalicelib.workers import sweeper, writes
from chalicelib.workers.audit import reading, recheck
from chalicelib.workers.jobs import LEASE_SECONDS
from chalicelib.workers.writing import live
from local import embedded
from local.standins.cms import Cms, Entry
from local.standins.shop import NAME, TOKEN
from local.standins.shop import Shop as StandinShop
from tests import aws, webhooks
from tests.prepared import continued, forget, prepared
from tests.servers.wire import Connection, WireServer
from tests.workers.audit.websites import Runtime, audit, new_website

TITLE = "SEO-ONP-001"  # the title is missing
ALT = "SEO-IMG-001"  # an image has no alt text
API = "https://api.example/api/v1"
TURNS = 60
MOST_IDLE = 4  # addresses
FILES = ("/llms.txt", "/robots.txt")


class Picture(NamedTuple):
    """An image of a page. ``alt``: what the theme makes of it, None: no such attribute."""

    src: str
    caption: str = ""
    alt: str | None = None


class Shop:
    """The website: a home page and pages without a title, each an item of the CMS. ``cached`` pages are served to
    visitors as they were; only a request with a parameter gets past. ``silent`` ones answer with an error."""

    def __init__(self, paths: tuple[str, ...]) -> None:
        self.url = ""  # once its server runs
        self.paths = paths
        self.values: dict[str, dict[str, str]] = {}
        self.cached: dict[str, dict[str, str]] = {}
        self.silent: set[str] = set()
        self.robots: bytes | None = None  # its own lines
        self.files: dict[str, str] = {}  # what the CMS has written
        self.kept_files: dict[str, bytes] = {}  # what a cache serves
        self.home_noindex = "false"  # what the theme says of the home page
        self.extra: dict[str, str] = {}  # what stands in a page's head beside it
        self.pictures: dict[str, list[Picture]] = {}  # of pages
        self.alts: dict[str, dict[str, str]] = {}  # what the CMS has written, by page and key
        self.redirects: dict[str, str] = {}  # likewise, by path
        self.broken: dict[str, str] = {}  # the text of the link from the home page to each address that is gone
        self.asked: list[str] = []
        self.shown: defaultdict[str, set[str | None]] = defaultdict(set)  # every title that a visitor was shown

    @property
    def content(self) -> Hashable:
        """All that an audit finds of it, before a test changes anything."""
        return (
            self.paths,
            tuple((path, tuple(found)) for path, found in self.pictures.items()),
            tuple(self.broken.items()),
        )

    def entries(self) -> Mapping[str, Entry]:
        base = self.url.rstrip("/")
        return {f"page:{path}": Entry(base + path, "page", path) for path in ("/", *self.paths)}

    def show(self, item: str, values: Mapping[str, str]) -> None:
        self.values[item.removeprefix("page:")] = dict(values)

    def show_files(self, values: Mapping[str, str]) -> None:
        self.files = dict(values)

    def images(self, item: str) -> list[str]:
        seen: Counter[str] = Counter()
        keys = []
        for picture in self.pictures.get(item.removeprefix("page:"), ()):
            seen[picture.src] += 1
            keys.append(key_of(f"{self.url.rstrip('/')}{picture.src}", seen[picture.src]))
        return keys

    def show_alts(self, item: str, alts: Mapping[str, str]) -> None:
        self.alts[item.removeprefix("page:")] = dict(alts)

    def show_redirects(self, targets: Mapping[str, str]) -> None:
        self.redirects = dict(targets)

    def file(self, path: str) -> bytes | None:
        """What /llms.txt or /robots.txt holds now; None: there is no such file."""
        key = self.files.get("indexNowKey")
        if key is not None and path == f"/{key}.txt":
            return key.encode()
        if path == "/llms.txt":
            return self.files["llmsTxt"].encode() if "llmsTxt" in self.files else None
        block = self.files.get("robotsBlock")
        return self.robots if block is None else with_block(self.robots or b"", block)

    def _answer_file(self, connection: Connection, path: str, query: str) -> bool:
        """Whether there is such a file. Caches keep plain addresses, unless they are asked to look again."""
        plain = not query and "no-cache" not in (connection.header("Cache-Control") or "")
        body = self.kept_files.get(path) if plain else None
        body = self.file(path) if body is None else body
        self.shown[path].add(None if body is None else body.decode())
        if body is not None:
            connection.answer(body, content_type="text/plain; charset=utf-8")
        return body is not None

    def __call__(self, connection: Connection) -> None:
        self.asked.append(connection.path)
        parts = urlsplit(connection.path)
        if parts.path in self.silent:
            connection.answer(b"out of order", "500 Internal Server Error", content_type="text/html")
        elif (parts.path in FILES or "indexNowKey" in self.files) and self._answer_file(
            connection, parts.path, parts.query
        ):
            return
        elif parts.path == "/":
            texts = {path: f"About {path}" for path in self.paths} | self.broken
            links = "".join(f'<a href="{path}">{text}</a>' for path, text in texts.items())
            kept_out = self.values.get("/", {}).get("noindex", self.home_noindex) == "true"
            robots = '<meta name="robots" content="noindex">' if kept_out else ""
            title = "<title>The home page of a small website</title>"
            self._html(connection, f"{title}{robots}</head><body><h1>Home</h1>{links}")
        elif parts.path in self.paths:
            cached = None if parts.query else self.cached.get(parts.path)
            values = self.values.get(parts.path, {}) if cached is None else cached
            self.shown[parts.path].add(values.get("title"))
            head, pictures = self._head(parts.path, values), self._pictures(parts.path)
            self._html(connection, f'{head}</head><body><h1>A page</h1><a href="/">Home</a>{pictures}')
        elif connection.path in self.redirects:
            connection.answer(
                b"", "301 Moved Permanently", Location=self.redirects[connection.path], Cache_Control="max-age=3600"
            )
        else:
            connection.answer(b"no such page", "404 Not Found", content_type="text/html")

    def _pictures(self, path: str) -> str:
        made = []
        written = self.alts.get(path, {})
        for key, picture in zip(self.images(f"page:{path}"), self.pictures.get(path, ()), strict=True):
            alt = written.get(key, picture.alt)
            told = "" if alt is None else f' alt="{escape(alt)}"'
            made.append(f'<figure><img src="{picture.src}"{told}><figcaption>{picture.caption}</figcaption></figure>')
        return "".join(made)

    def _head(self, path: str, values: Mapping[str, str]) -> str:
        title = f"<title>{escape(values['title'])}</title>" if "title" in values else ""
        description = values.get("meta_description")
        named = "" if description is None else f'<meta name="description" content="{escape(description)}">'
        return title + named + self.extra.get(path, "")

    @staticmethod
    def _html(connection: Connection, text: str) -> None:
        connection.answer(
            f'<!doctype html><html lang="en"><head>{text}</body></html>'.encode(),
            content_type="text/html; charset=utf-8",
        )


class Audited(NamedTuple):
    """What an audit leaves beside what it stores: what the website was asked and has shown, and messages of events."""

    website: Website
    person_id: str
    asked: tuple[str, ...]
    shown: tuple[tuple[str, frozenset[str | None]], ...]
    told: list[dict[str, Any]]


class Address:
    """A port that serves one website after another, so that the audit of an equal website before can be put back."""

    def __init__(self) -> None:
        self.shop: Shop | None = None
        self.server = WireServer(self)
        self._closing = ExitStack()
        self._closing.enter_context(self.server)

    def __call__(self, connection: Connection) -> None:
        assert self.shop is not None
        self.shop(connection)

    def is_quiet(self) -> bool:
        """Whether every connection has ended. Forgets them."""
        return self.server.forget_connections()

    def close(self) -> None:
        self._closing.close()


_idle: dict[Hashable, Address] = {}  # by the content of the websites that they serve


@contextmanager
def served(shop: Shop) -> Iterator[WireServer]:
    """Serve the website at the address of an equal one before it, if it is idle."""
    address = _idle.pop(shop.content, None) or Address()
    address.shop, shop.url = shop, address.server.url()
    try:
        yield address.server
    finally:
        if address.is_quiet() and len(_idle) < MOST_IDLE:
            _idle[shop.content] = address
        else:
            address.close()


@atexit.register
def _close_idle() -> None:
    for address in _idle.values():
        address.close()


class House:
    """The website, its CMS, and actions of tests on both."""

    kind: WriterKind = "cms"

    def __init__(self, shop: Shop, cms: Cms, server: WireServer) -> None:
        self.shop, self.cms, self.server = shop, cms, server
        self.website: Website
        self.person_id: str

    def settle(self) -> None:
        """A new workspace with the website, audited and connected to the CMS, which has sent its content."""
        self._forget_changes()
        self._settle()

    def begin_again(self) -> None:
        """Delete everything stored, put back what ``settle`` stores, and let the clock run as the machine's. Of its
        messages, events that wait in the outbox, none is put back."""
        embedded.clear()
        clock.set_offset(0.0)
        self._forget_changes()
        prepared(self, self._settle_without_messages)

    def _forget_changes(self) -> None:
        self.shop.values, self.shop.cached, self.shop.silent = {}, {}, set()
        self.shop.kept_files, self.shop.alts, self.shop.redirects = {}, {}, {}
        self.forget()

    def _settle_without_messages(self) -> None:
        self._settle()
        aws.purge("outbox")

    def _settle(self) -> None:
        found = continued(("audited", self.server.url(), self.shop.content), self._audited)
        self.website, self.person_id = found.website, found.person_id
        self.shop.asked[:] = found.asked
        self.shop.shown.update((path, set(titles)) for path, titles in found.shown)
        for message in found.told:
            queues.send("outbox", message)
        self.connect()
        self.sync()
        aws.purge("imports")

    def _audited(self) -> "Audited":
        website = new_website(self.server)
        person = accounts.add_person(OPERATOR, website.workspace_id, "owner@acme.example", "owner")
        audit(website, page_budget=max(500, len(self.shop.paths) + 1))
        told = aws.messages("outbox")
        aws.purge("outbox")
        shown = tuple((path, frozenset(titles)) for path, titles in self.shop.shown.items())
        return Audited(website, person.id, tuple(self.shop.asked), shown, told)

    def connect(self) -> None:
        """Connect the website to the CMS."""
        connections.pair(
            OPERATOR, self.site_id, url=self.cms.url, code=self.cms.code(), person_id=self.person_id, base_url=API
        )

    def forget(self) -> None:
        """The CMS forgets the changes of a website before this one, whose clock may have been ahead."""
        self.cms._sequences.clear()
        self.cms._known.clear()

    def sync(self) -> None:
        """Make the CMS send all its content."""
        credentials = stored_connections.get(self.site_id, self.kind)
        assert credentials is not None
        cms = connections.target(credentials)
        told = cms.items()
        content.put(self.current(), told.items, now=clock.now())
        while told.next is not None:
            told = cms.items(told.next)
            content.put(self.current(), told.items, now=clock.now())

    @property
    def by(self) -> Approver:
        return Approver(self.person_id)

    @property
    def site_id(self) -> str:
        return self.website.id

    @property
    def issue_id(self) -> str:
        return ids.issue_id(self.site_id, TITLE)

    def current(self) -> Website:
        found = records.get(self.website.workspace_id, self.site_id)
        assert found is not None
        return found

    def book(self) -> IssueBook:
        book = issues.load_state(self.site_id)
        assert book is not None
        return book

    def issue(self, issue_id: str | None = None) -> Issue:
        found = self.book().by_id(issue_id or self.issue_id)
        assert found is not None
        return found

    def url(self, path: str) -> str:
        return self.server.url(path)

    def apply(self, wanted: Mapping[str, str], rule: str = TITLE, by: Approver | None = None) -> Batch:
        """Approve a value for each path."""
        wishes = [Wish(self.url(path), value) for path, value in wanted.items()]
        issue_id = ids.issue_id(self.site_id, rule)
        return changes.apply(self.current(), issue_id, wishes, by=by or self.by, book=self.book())

    def describe(self, texts: Mapping[tuple[str, str], str], rule: str = ALT) -> Batch:
        """Approve a text for each image: its page's path, and its own path with its number behind a space."""
        wishes = [Wish(self.url(path), text, self.url(key)) for (path, key), text in texts.items()]
        issue_id = ids.issue_id(self.site_id, rule)
        actor = Actor(self.website.workspace_id, self.person_id, "owner")
        return alt_texts.approve(actor, self.site_id, issue_id, wishes)

    def redirect(self, wanted: Mapping[str, str], actor: Actor = OPERATOR) -> Batch:
        """Approve a redirect of each path to another one."""
        wishes = [Wish(self.url(path), target) for path, target in wanted.items()]
        return redirects.approve(actor, self.site_id, wishes)

    def publish(self, text: str) -> Batch:
        """Approve a text of llms.txt."""
        return files.write_llms_txt(self.current(), text, by=self.by)

    def rule(self, **rules: CrawlerRule) -> Batch:
        """Approve the full set of rules for crawlers."""
        return files.write_ai_crawlers(self.current(), rules, by=self.by)

    def last(self, field: FileField) -> Any:
        """The last change of a file."""
        return readiness.load_last(self.site_id, field)

    def undo(self, batch: Batch) -> Batch:
        return changes.undo(OPERATOR, self.site_id, batch.id)

    def loaded(self, batch: Batch) -> Loaded:
        found = stored.load(self.site_id, batch.id)
        assert found is not None
        return found

    def statuses(self, batch: Batch) -> dict[str, str]:
        return {urlsplit(change.url).path: change.status for change in self.loaded(batch).changes}

    def change(self, batch: Batch, path: str) -> Change:
        return next(change for change in self.loaded(batch).changes if urlsplit(change.url).path == path)

    def held(self, path: str, field: str = "title") -> str | None:
        return self.cms.value(f"page:{path}", field)

    def work(self, queues: tuple[str, ...] = ("writes", "recheck")) -> None:
        """Work the queues until nothing is left, with the clock and the sweeper's help where something waits."""
        workers: dict[str, Any] = {"writes": writes.handle, "recheck": recheck.handle}
        for _ in range(TURNS):
            waiting = [(queue, message) for queue in queues for message in aws.messages(queue)]
            for queue in queues:
                aws.purge(queue)
            for queue, message in waiting:
                workers[queue](message, Runtime())
            if not waiting and not self.busy(queues):
                return
            if not waiting:
                clock.set_offset(clock.offset() + LEASE_SECONDS + 1)
                sweeper.run()
        raise AssertionError("it does not end")

    def busy(self, queues: tuple[str, ...]) -> bool:
        batches = any(batch.status != "done" for batch in stored.list_all(self.site_id))
        headers = items.query("crawls", keys.site_partition(self.site_id), "RECHECK#")[0]
        rechecks = any(header["status"] in ("queued", "running") for header in headers)
        return (batches and "writes" in queues) or (rechecks and "recheck" in queues)

    def write_once(self) -> None:
        """Handle the messages that are in the queue now."""
        waiting = aws.messages("writes")
        aws.purge("writes")
        for message in waiting:
            writes.handle(message, Runtime())

    def write(self) -> None:
        """Write the approved changes, without the rechecks that follow."""
        self.work(("writes",))

    def batches(self) -> list[tuple[Batch, list[Change]]]:
        """All batches, oldest first."""
        found = [self.loaded(batch) for batch in stored.list_all(self.site_id)]
        return [(loaded.batch, loaded.changes) for loaded in found]

    def place(self) -> tuple[str | None, int]:
        """The batch that runs, and how many wait."""
        place = stored.place(self.site_id)
        return place.running, len(place.waiting)

    def known(self) -> list[str]:
        """The titles that the service knows the CMS to hold."""
        held = stored_content.load(self.site_id).items.values()
        return sorted(item.fields.title for item in held if item.fields.title is not None)

    def events(self, *kinds: str) -> list[Event]:
        return [event for event in webhooks.pending() if not kinds or event.kind in kinds]

    def job(self, batch: Batch) -> Any:
        return jobs.get(self.site_id, job_id(batch.id))


def kinds(house: House) -> list[str]:
    """The kinds of the events that are told of changes and issues."""
    of_audits = ("audit.finished", "score.changed")
    return sorted(event.kind for event in house.events() if event.kind not in of_audits)


class ShopHouse(House):
    """The website of a shop. What tests do to a CMS they can do to the shop: ``cms`` is its stand-in."""

    kind = "shop"

    def __init__(self, shop: Shop, standin: StandinShop, server: WireServer) -> None:
        super().__init__(shop, cast(Any, standin), server)
        self.standin = standin

    def connect(self) -> None:
        connections.link_shop(OPERATOR, self.site_id, shop=NAME, access_token=TOKEN, person_id=self.person_id)

    def forget(self) -> None:
        self.standin.forget_notes()

    def held_redirects(self) -> dict[str, str]:
        """The targets that the shop stores, by path."""
        return dict(self.standin.redirects.targets())


@contextmanager
def open_house(
    monkeypatch: pytest.MonkeyPatch,
    paths: tuple[str, ...] = ("/a", "/b", "/c"),
    kind: WriterKind = "cms",
    pictures: Mapping[str, Sequence[Picture]] = MappingProxyType({}),
    broken: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[House]:
    """The website with so many pages without a title, and what it is connected to. ``pictures``: of pages; ``broken``:
    as in ``Shop``. For tests with the fixture ``store``."""
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setattr(reading, "SECOND_TRY_AFTER_SECONDS", 0.01)
    monkeypatch.setattr(live, "WAITS", (0.0, 0.01, 0.01))
    forget_settings()
    shop = Shop(paths)
    shop.pictures = {path: list(found) for path, found in pictures.items()}
    shop.broken = dict(broken)
    with served(shop) as server:
        house = House(shop, Cms(shop), server) if kind == "cms" else ShopHouse(shop, StandinShop(shop), server)
        monkeypatch.setenv("SHOP_ADMIN_URL", house.cms.url)
        forget_settings()
        try:
            house.settle()
            yield house
        finally:
            forget(house)
            house.cms.stop()
            forget_settings()
