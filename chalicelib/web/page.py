"""The input of a screen: the signed-in person, the address, and the API."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from chalicelib import api
from chalicelib.api import summaries
from chalicelib.api.shapes.websites import Website
from chalicelib.domain.accounts.rights import Actor, Right, may
from chalicelib.http.answers import Answer
from chalicelib.http.inside import NOTHING, Asker
from chalicelib.operations.sessions import Membership, Session
from chalicelib.store.websites import Website as StoredWebsite
from chalicelib.web import addresses, cookies, forms, parts
from chalicelib.web.parts import Part
from chalicelib.web.replies import View
from chalicelib.web.routing import Route

WAIT: Final = "wait"  # the query parameter that names the part to wait longer for
AS: Final = "as"  # the query parameter that requests a screen's data as a file
DONE: Final = "done"  # the query parameter that says what a form has just done
LIVE: Final = "live"  # the query parameter that marks requests of a screen that refreshes itself
ASK: Final = "ask"  # the query parameter that shows the question before an irreversible act
OWN: Final = frozenset({WAIT, AS, DONE, LIVE, ASK})
_MOST_DIGITS: Final = 6


@dataclass(frozen=True, slots=True)
class Signed:
    """The signed-in person. ``membership``: the person's membership in the shown workspace; None if the e-mail address
    is no longer in any workspace."""

    session: Session
    memberships: Sequence[Membership]
    membership: Membership | None
    asker: Asker | None

    @property
    def actor(self) -> Actor:
        """The signed-in person in the shown workspace, as operations need it to check rights and to log who acted."""
        return self.actor_in(self.member)

    def actor_in(self, member: Membership) -> Actor:
        """Return the signed-in person in one of the person's workspaces, as operations need it."""
        return Actor(member.workspace_id, member.person_id, member.role, self.session.email)

    @property
    def member(self) -> Membership:
        if self.membership is None:
            raise LookupError("no person of a workspace is signed in")
        return self.membership


@dataclass(slots=True)
class Page:
    """A request of a screen.

    - ``path``: the values in the route's path.
    - ``query``: the query parameters that are not empty.
    - ``address``: the app's own address.
    - ``root``: the path of the app's address.
    - ``asked``: the segments of the requested path.
    - ``cookies``: the Cookie header.
    - ``reader``: calls the API if nobody is signed in.
    """

    route: Route
    address: str
    root: str
    asked: tuple[str, ...] = field(repr=False)  # the token of a report is in the path
    path: Mapping[str, str] = field(repr=False)
    query: Mapping[str, str] = field(repr=False)  # a link's token is a parameter
    now: float
    ip: str
    secure: bool
    cookies: str = field(repr=False)
    signed: Signed | None = None
    reader: Asker | None = None
    _site: Website | None = field(default=None, init=False)

    # -- addresses

    @property
    def origin(self) -> str:
        """The app's origin, as browsers name it. Empty if its host is unknown."""
        return addresses.origin_of(self.address)

    def url(self, /, *segments: object, **query: object) -> str:
        """Return the address of the app's screen whose path has these segments."""
        return addresses.made(self.root, segments, query)

    def site_url(self, /, *segments: object, **query: object) -> str:
        """Return the address of another screen of this screen's website."""
        return self.url("sites", self.path["siteId"], *segments, **query)

    def here(self, /, **changed: object) -> str:
        """Return the address of this screen with changed query parameters. None removes a parameter."""
        kept = {name: value for name, value in self.query.items() if name not in OWN}
        return self.url(*self.asked, **(kept | changed))

    def data_url(self, form: str) -> str:
        """Return the address from which this screen's data can be downloaded, as the API returns it. ``form``: ``json``
        or ``csv``."""
        return self.here(**{AS: form})

    def sent(self, *names: str) -> dict[str, str]:
        """Return those of the named query parameters that the request has."""
        return {name: self.query[name] for name in names if name in self.query}

    def number(self, name: str, otherwise: int) -> int:
        """Return the value of a query parameter as a whole number, at least 1.

        Returns the number ``otherwise`` if the value is not a whole number.
        """
        sent = self.query.get(name, "")
        fits = sent.isascii() and sent.isdecimal() and len(sent) <= _MOST_DIGITS
        return max(1, int(sent)) if fits else otherwise

    def paged(self, name: str, found: Sequence[Any], per: int) -> dict[str, Any]:
        """Return the requested page of a list, as values for a template.

        - the value of ``name``: the entries of this page, at most ``per``.
        - ``total``: how many entries the whole list has.
        - ``before`` and ``after``: the numbers of the previous and the next page; None if there is no such page.
        """
        number = self.number("page", 1)
        start = (number - 1) * per
        return {
            name: found[start : start + per],
            "total": len(found),
            "before": number - 1 if number > 1 else None,
            "after": number + 1 if start + per < len(found) else None,
        }

    # -- who asks

    def cookie(self, name: str) -> str | None:
        """Return a cookie's value."""
        return cookies.read(self.cookies, name, self.secure)

    @property
    def who(self) -> Signed:
        """The signed-in person. Only for screens that require a person to be signed in."""
        if self.signed is None:
            raise LookupError("nobody is signed in")
        return self.signed

    @property
    def works(self) -> bool:
        """Whether the signed-in person may make changes in the shown workspace."""
        return self.has("work")

    def has(self, right: Right) -> bool:
        """Whether the signed-in person has a right in the shown workspace."""
        member = None if self.signed is None else self.signed.membership
        return member is not None and may(self.who.actor, right, member.workspace_id)

    def token(self) -> str:
        """Return a form token for the screen that answers this request."""
        return forms.token(self.who.session.key)

    @staticmethod
    def nonce() -> str:
        """Return a unique id for a form on the screen that answers this request."""
        return forms.nonce()

    # -- the frame

    def rail_url(self, route: Route) -> str:
        """Return the address of a screen in the navigation."""
        return self.url(*(self.path.get(part[1:-1], part) for part in route.path.split("/") if part))

    def count_of(self, screen: str) -> int | None:
        """Return the number next to a screen's name in the navigation.

        Returns None if the screen has no such number, or if the number is unknown.
        """
        site = self.site
        if site is None:
            return None
        known = {
            "actions": site.actions.open,
            "issues": site.issues.open,
            "pages": None if site.last_audit is None else site.last_audit.pages_crawled,
        }
        return known.get(screen)

    # -- the API

    def ask(self, operation: str, sent: Mapping[str, object] = NOTHING, body: object = None, **path: str) -> Any:
        """Call the endpoint with this ``operationId``, and return its answer. Raises ``ApiError`` for the errors that
        HTTP clients get.

        Path parameters that are not given are taken from this screen's path.
        """
        return self._asker.ask(*self._question(operation, sent, path), body)

    def answer(self, operation: str, sent: Mapping[str, object] = NOTHING, **path: str) -> Answer:
        """Call the endpoint with this ``operationId``, and return its answer as text."""
        return self._asker.answer(*self._question(operation, sent, path))

    def _question(
        self, operation: str, sent: Mapping[str, object], path: Mapping[str, str]
    ) -> tuple[Any, dict[str, str], dict[str, str]]:
        endpoint = api.operations()[operation]
        names = {name: path.get(name) or self.path[name] for name in endpoint.names}
        return endpoint, names, {name: str(value) for name, value in sent.items() if value is not None}

    @property
    def _asker(self) -> Asker:
        asker = self.reader or self.who.asker
        if asker is None:
            raise LookupError("no person of a workspace is signed in")
        return asker

    @property
    def followed(self) -> bool:
        """Whether the script of an open screen made this request. The script uses only the parts of the answer that it
        updates on the screen."""
        return LIVE in self.query

    def parts(self, *only: str, **wanted: Callable[[], Any]) -> dict[str, Part]:
        """Load several parts of the screen concurrently, and wait for them, usually at most two seconds.

        ``only``: load only these parts. The other parts count as late.
        """
        asked = {name: ask for name, ask in wanted.items() if not only or name in only}
        found = parts.asked(asked, self.query.get(WAIT))
        return {name: found.get(name) or Part(name, "late") for name in wanted}

    @property
    def api_url(self) -> str:
        """The address of the API for callers outside the app."""
        return self._asker.base_url

    @property
    def site(self) -> Website | None:
        """The website of this screen, as an entry of the portfolio."""
        if self._site is None and self.signed is not None and self.signed.asker is not None and "siteId" in self.path:
            self._site = summaries.of(self._asker.website(self.path["siteId"]), self.now, with_search=False)
        return self._site

    @property
    def website(self) -> StoredWebsite:
        """The stored record of the website of this screen, for operations.

        Raises ``ApiError`` as the API does.
        """
        return self._asker.website(self.path["siteId"])

    # -- the answer

    def view(self, template: str, title: str, *, status: int = 200, **values: Any) -> View:
        """Return the screen: its template with these values, and additionally ``page`` and ``title``."""
        return View(template, {"page": self, "title": title, **values}, status)

    @staticmethod
    def with_cookies(view: View, *headers: str) -> View:
        """Return the screen with headers that set cookies."""
        return replace(view, cookies=headers)
