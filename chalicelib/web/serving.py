"""Answers requests below ``/app``: signs the person in, checks the form, runs the screen and renders it."""

import logging
from typing import Any, Final
from urllib.parse import urlencode

from chalice.app import Request, Response

from chalicelib import api, clock
from chalicelib.http import edge, idempotency
from chalicelib.http.answers import Answer
from chalicelib.http.edge import Room
from chalicelib.http.errors import ApiError
from chalicelib.operations.errors import Refused
from chalicelib.settings.core import APP_PATH, core_settings
from chalicelib.web import addresses, forms, refusals, rendering, replies, routing, signing, static
from chalicelib.web.forms import Form
from chalicelib.web.page import AS, Page
from chalicelib.web.replies import File, Redirect, Reply, ShownOnce, View
from chalicelib.web.routing import Route

NAME: Final = "web"
_NOWHERE: Final = Route("", "nowhere", anyone=True)
_SWITCHES: Final = frozenset({NAME, "api"})
_log = logging.getLogger(__name__)


class _NotDone(ApiError):
    """Raised if a form did nothing. Its reply shows the form again, or the reason."""

    def __init__(self, view: View) -> None:
        super().__init__("bad_body", "the form is shown again")
        self.view = view


def room() -> Room:
    """Return the app's paths and their handlers. They are passed to ``serve`` of ``chalicelib/http/edge.py``."""
    return Room(NAME, APP_PATH, answer, refuse)


def answer(request: Request) -> Response:
    """Answer a request to the app. If this fails, return an error screen."""
    try:
        page = _page(request)
        response = _response(page, _reply(request, page))
    except Exception:
        _log.exception("a screen failed")
        response = refuse(request, 500)
    if request.method == "HEAD":
        response.headers["Content-Length"] = str(len(response.body.encode()))
        response.body = ""
    return response


def refuse(request: Request, status: int) -> Response:
    """Return the screen for an HTTP status, without calling any service. If the screen cannot be rendered, return a
    line of text."""
    headers = {"Allow": ", ".join(edge.ROOM_METHODS)} if status == 405 else {}
    try:
        page = _page(request)
        return _response(page, refusals.of_status(page, status, headers))
    except Exception:
        _log.exception("the error screen itself failed")
        return replies.response(500, "The service failed to answer.", {"Content-Type": "text/plain; charset=utf-8"})


def _response(page: Page, reply: Reply) -> Response:
    match reply:
        case Redirect():
            return replies.of_redirect(reply)
        case File():
            return replies.of_file(reply)
        case View():
            return _text(page, reply)
        case ShownOnce():
            return _text(page, reply.view)


def _text(page: Page, view: View) -> Response:
    return replies.of_text(view, rendering.of_page(page, view.template, view.values))


def _page(request: Request) -> Page:
    address = addresses.app_address(request)
    rest = (request.uri_params or {}).get("rest", "")
    found = routing.match(rest)
    query = request.query_params
    sent = {} if query is None else {name: query.getlist(name)[-1] for name in query}
    return Page(
        route=_NOWHERE if found is None else found.route,
        address=address,
        root=addresses.path_of(address),
        asked=tuple(addresses.segments(rest)),
        path={} if found is None else found.names,
        query={name: value for name, value in sent.items() if value},
        now=clock.now(),
        ip=str(request.context.get("identity", {}).get("sourceIp", "")),
        secure=address.startswith("https:"),
        cookies=str(request.headers.get("cookie", "")),
    )


def _reply(request: Request, page: Page) -> Reply:
    try:
        if _SWITCHES & core_settings().switched_off_groups:
            return refusals.of_status(page, 503)
        if page.asked[:1] == (static.SEGMENT,):
            return static.file("/".join(page.asked[1:])) or refusals.of_status(page, 404)
        if request.context.get("path", "").endswith("/"):
            return Redirect(page.here()) if not page.asked else refusals.of_status(page, 404)
        if page.route is _NOWHERE:
            signing.sign(page, edge.base_url(request))
            return refusals.of_status(page, 404)
        return _act(request, page) if request.method == "POST" else _show(request, page)
    except _NotDone as again:
        return again.view
    except ApiError as error:
        return refusals.of_error(page, error)
    except Refused as refused:
        return refusals.of_refusal(page, refused)


def _show(request: Request, page: Page) -> Reply:
    module = page.route.module
    if not hasattr(module, "show"):
        return refusals.of_status(page, 405, {"Allow": "POST"})
    stopped = _sign(request, page)
    if stopped is not None:
        return stopped
    if AS in page.query and hasattr(module, "data"):
        return _data(page, *module.data(page))
    reply: Reply = module.show(page)
    return reply


def _act(request: Request, page: Page) -> Reply:
    module = page.route.module
    if not hasattr(module, "act"):
        return refusals.of_status(page, 405, {"Allow": "GET, HEAD"})
    if page.route.from_anywhere:
        done: Reply = module.act(page, Form({}, b""))
        return done
    if not forms.from_our_own_page(request, page.origin):
        return refusals.forged(page)
    form = forms.read(request)
    stopped = _sign(request, page)
    if stopped is not None:
        return stopped
    if page.signed is None:
        reply: Reply = module.act(page, form)
        return reply
    if not page.route.anyone and not forms.is_token(page.signed.session.key, form.text(forms.TOKEN)):
        return refusals.forged(page)
    if not (page.works or page.route.viewers_act or page.route.anyone):
        raise ApiError("missing_scope", "This role changes nothing.")
    return _once(page, form, module)


def _once(page: Page, form: Form, module: Any) -> Reply:
    """Execute the form. If the same form is sent twice, by a double click or a reload, it is executed once.

    The second request is answered with a redirect, because a reply that shows a secret is not stored.
    """
    nonce = form.text(forms.NONCE)
    if not nonce or not getattr(module, "ONCE", True):
        reply: Reply = module.act(page, form)
        return reply

    shown: list[ShownOnce] = []

    def run() -> Answer:
        try:
            reply = module.act(page, form)
        except Refused as refused:
            raise _NotDone(refusals.of_refusal(page, refused)) from None
        if isinstance(reply, View):
            raise _NotDone(reply)
        if isinstance(reply, ShownOnce):
            shown.append(reply)
            return Answer(303, "", {"Location": reply.again})
        return Answer(303, "", {"Location": reply.to})

    scope = (page.who.session.key, "POST", page.here(), nonce)
    to = idempotency.once(scope, form.raw, page.now, run).headers["Location"]
    return shown[0] if shown else Redirect(to)


def _sign(request: Request, page: Page) -> Reply | None:
    """Sign the person in, if the screen requires it.

    Returns a reply if the screen cannot be shown to them, otherwise None.
    """
    if page.route.anyone:
        return None
    signing.sign(page, edge.base_url(request))
    if page.signed is None:
        wanted = page.url(*page.asked) if page.route.secret_query else page.here(**page.query)
        back = {} if page.asked in ((), ("sign-out",)) else {"next": wanted}
        return Redirect(page.url("sign-in") + (f"?{urlencode(back)}" if back else ""))
    if page.signed.membership is None and page.route.screen not in ("sign_out", "sessions"):
        return page.view("no_workspace.html", "No workspace", status=403)
    return None


def _data(page: Page, operation: str, sent: dict[str, str]) -> Reply:
    """Return the data of a screen as the API does: as JSON, or as CSV if the endpoint supports it."""
    wanted = page.query[AS]
    if wanted == "json":
        return File(page.answer(operation, sent).body, "application/json; charset=utf-8")
    if wanted == "csv" and "csv" in api.operations()[operation].formats:
        made = page.answer(operation, {**sent, "format": "csv"})
        if made.status == 303:
            return Redirect(made.headers["Location"])
        return File(made.body, made.headers["Content-Type"], f"{page.route.screen}.csv")
    return refusals.of_status(page, 404)
