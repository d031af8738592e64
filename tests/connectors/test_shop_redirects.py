"""Redirects in a shop: one of each path, updated or created, taken back exactly, and never doubled by a lost answer."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.connectors.errors import Unavailable
from chalicelib.connectors.shop import HttpShop
from chalicelib.domain.connector import shop_redirects as redirects
from chalicelib.domain.connector.messages import Change, Outcome
from chalicelib.domain.connector.shop_notes import CHANGED, NOT_OURS
from chalicelib.settings.reading import forget_settings
from local.standins.shop import REFUSAL, Shop
from local.standins.shop_items import ListShop
from tests.connectors.shops import answering, asking, lost, shop

BASE = "https://shop.example"
OLD, NEW = "/old/tents.html", "/products/1"


@pytest.fixture
def standin(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    found = Shop(ListShop(3))
    asking(monkeypatch, found.url)
    monkeypatch.setattr(clock, "sleep", lambda seconds: None)
    yield found
    found.stop()
    monkeypatch.undo()
    forget_settings()


def redirect(target: str | None, path: str = OLD, sequence: int = 1, **more: Any) -> Change:
    given: dict[str, Any] = {
        "change_id": f"batch-{sequence}.{path}",
        "sequence": sequence,
        "cms_id": None,
        "url": BASE + path,
        "field": "redirect",
        "value": None if target is None else BASE + target,
        "key": path,
    }
    return Change(**(given | more))


def back(outcome: Outcome, sequence: int = 9, path: str = OLD) -> Change:
    return redirect(None, path, sequence, restore=outcome.undo)


def held(standin: Shop) -> dict[str, str]:
    return dict(standin.redirects.targets())


def test_a_redirect_is_created_and_its_undo_deletes_it(standin: Shop) -> None:
    outcome = shop().change(redirect(NEW))
    assert (outcome.state, outcome.before, outcome.after) == ("written", None, BASE + NEW)
    assert held(standin) == {OLD: NEW}, "a target on the same host is stored as its path"
    site: Any = standin.site
    assert site.redirects == {OLD: BASE + NEW}
    undone = shop().change(back(outcome))
    assert (undone.state, undone.before, undone.after, held(standin)) == ("written", BASE + NEW, None, {})


@pytest.mark.parametrize("before", ["/products/2", f"{BASE}/products/2", "https://elsewhere.example/x", "odd target"])
def test_an_existing_redirect_is_updated_and_its_undo_restores_it(standin: Shop, before: str) -> None:
    standin.edit("", "redirect /OLD/tents.html", before)
    outcome = shop().change(redirect(NEW))
    assert outcome.state == "written" and held(standin) == {"/OLD/tents.html": NEW}
    undone = shop().change(back(outcome))
    assert undone.state == "written" and held(standin) == {"/OLD/tents.html": before}
    assert standin.counts["urlRedirectCreate"] == standin.counts["urlRedirectDelete"] == 0


def test_a_redirect_that_already_exists_is_not_written_again(standin: Shop) -> None:
    standin.edit("", f"redirect {OLD}", f"{BASE}{NEW}")
    outcome = shop().change(redirect(NEW))
    assert (outcome.before, outcome.after) == (BASE + NEW, BASE + NEW)
    assert standin.writes == [] and held(standin) == {OLD: f"{BASE}{NEW}"}


def test_redirects_with_similar_paths_are_not_changed(standin: Shop) -> None:
    similar = dict.fromkeys(
        ("/old/tents.html/x", "/old/tents.html?x=1", "/tents/old.html", "/old-tents-html"), "/products/2"
    )
    for path, target in similar.items():
        standin.edit("", f"redirect {path}", target)
    outcome = shop().change(redirect(NEW))
    assert outcome.state == "written" and held(standin) == {**similar, OLD: NEW}
    shop().change(back(outcome))
    assert held(standin) == similar


def test_a_redirect_is_found_even_on_a_later_page_of_the_list(standin: Shop) -> None:
    for number in range(250):
        standin.edit("", f"redirect /old/tents.html/{number}", "/products/2")
    standin.edit("", f"redirect {OLD}", "/products/3")
    outcome = shop().change(redirect(NEW))
    assert outcome.before == f"{BASE}/products/3" and len(held(standin)) == 251
    for number in range(250, 600):
        standin.edit("", f"redirect /old/tents.html/{number}", "/products/2")
    outcome = shop().change(redirect(NEW, "/old/tents.html/none", sequence=2))
    assert outcome.state == "written", "its own words find few"
    standin.edit("", f"redirect {OLD}", None)
    outcome = shop().change(redirect("/products/2", sequence=3))
    assert (outcome.state, outcome.reason) == ("refused", redirects.UNCLEAR)


@pytest.mark.parametrize(
    "changed",
    [
        {"key": "/other"},
        {"key": None},
        {"url": f"{BASE}/", "key": "/"},
        {"url": "no address"},
        {"value": f"{BASE}{OLD}"},
        {"value": "/relative"},
        {"value": "javascript:alert(1)"},
        {"value": f"{BASE}/{'x' * 2_000}"},
    ],
)
def test_an_invalid_redirect_is_refused_without_a_request(standin: Shop, changed: dict[str, Any]) -> None:
    outcome = shop().change(redirect(NEW, **changed))
    assert (outcome.state, outcome.reason) == ("refused", redirects.NOT_A_REDIRECT) and not standin.exchanges


def test_a_redirect_from_a_path_that_the_shop_serves_is_refused(standin: Shop) -> None:
    outcome = shop().change(redirect(NEW, "/cart/x"))
    assert (
        outcome.state == "refused"
        and "/cart is one of its own paths" in (outcome.reason or "")
        and not standin.exchanges
    )


def test_a_change_without_the_redirect_scope_is_refused_and_the_scope_is_named(standin: Shop) -> None:
    for scopes in (("write_products",), ("write_products", "read_online_store_navigation")):
        standin.scopes = scopes
        outcome = shop().change(redirect(NEW))
        assert outcome.state == "refused" and "write_online_store_navigation" in (outcome.reason or "")
    assert standin.writes == []


@pytest.mark.parametrize("restore", ["{}", "x", '{"value":null,"left":"/products/9"}'])
def test_undo_data_that_does_not_match_the_redirect_is_refused(standin: Shop, restore: str) -> None:
    shop().change(redirect(NEW))
    outcome = shop().change(redirect(None, sequence=2, restore=restore))
    assert outcome.state == "refused" and outcome.reason in (NOT_OURS, CHANGED) and held(standin) == {OLD: NEW}


def test_an_undo_keeps_a_redirect_that_an_editor_has_changed(standin: Shop) -> None:
    outcome = shop().change(redirect(NEW))
    standin.edit("", f"redirect {OLD}", "/products/3")
    refused = shop().change(back(outcome))
    assert (refused.state, refused.reason, held(standin)) == ("refused", CHANGED, {OLD: "/products/3"})
    standin.edit("", f"redirect {OLD}", None)
    gone = shop().change(back(outcome, 10))
    assert gone.state == "written" and held(standin) == {}


# -- changes that come twice -------------------------------------------------------------------------------


@pytest.mark.parametrize("document", ["FindRedirects", "WriteMetafields", "CreateRedirect"])
@pytest.mark.parametrize("late", [False, True])
def test_after_a_lost_answer_a_retry_creates_no_second_redirect(standin: Shop, document: str, late: bool) -> None:
    standin.redirects.late = late
    asked = redirect(NEW)
    error = lost(asked, document)
    assert error.sent == (document == "CreateRedirect") == bool(standin.writes)
    if late and document == "CreateRedirect":  # the list does not show it yet
        with pytest.raises(Unavailable, match="does not list it yet"):
            shop().change(asked)
        standin.redirects.late = False
    outcome = shop().change(asked)
    assert (outcome.before, outcome.after, held(standin)) == (None, BASE + NEW, {OLD: NEW})
    assert standin.writes == [("", f"redirect {OLD}", NEW)]
    standin.redirects.late = False
    assert shop().change(asked) == outcome
    assert shop().change(back(outcome)).after is None and held(standin) == {}


def test_an_undo_deletes_a_redirect_that_is_not_listed_yet(standin: Shop) -> None:
    standin.redirects.late = True
    outcome = shop().change(redirect(NEW))
    assert shop().change(back(outcome)).state == "written" and held(standin) == {}
    again = shop().change(back(outcome, 10))
    assert again.state == "written" and len(standin.writes) == 2
    standin.edit("", f"redirect {OLD}", NEW)
    standin.redirects.late = False
    outcome = shop().change(redirect("/products/2", sequence=11))
    standin.redirects.held["gid://shopify/UrlRedirect/2"] = ("/elsewhere", "/products/2")  # moved by an editor
    refused = shop().change(back(outcome, 12))
    assert (refused.state, refused.reason) == ("refused", CHANGED) and held(standin) == {"/elsewhere": "/products/2"}


def test_a_redirect_that_an_editor_creates_between_two_tries_is_kept(standin: Shop) -> None:
    asked = redirect(NEW)
    lost(asked, "WriteMetafields")
    standin.edit("", f"redirect {OLD}", "/products/3")
    outcome = shop().change(asked)
    assert (outcome.state, outcome.reason, held(standin)) == ("refused", CHANGED, {OLD: "/products/3"})


@pytest.mark.parametrize("document", ["ReadRedirect", "WriteMetafields", "UpdateRedirect"])
def test_the_previous_target_is_known_even_if_the_answer_to_an_update_is_lost(standin: Shop, document: str) -> None:
    standin.edit("", f"redirect {OLD}", "/products/2")
    asked = redirect(NEW)
    lost(asked, document)
    outcome = shop().change(asked)
    assert outcome.before == f"{BASE}/products/2" and len(standin.writes) == 1
    undo = back(outcome)
    lost(undo, document)
    assert shop().change(undo).after == f"{BASE}/products/2" and held(standin) == {OLD: "/products/2"}
    assert len(standin.writes) == 2


def test_if_the_answer_to_a_deletion_is_lost_an_editors_newer_redirect_is_kept(standin: Shop) -> None:
    outcome = shop().change(redirect(NEW))
    undo = back(outcome)
    lost(undo, "DeleteRedirect")
    assert shop().change(undo).state == "written" and len(standin.writes) == 2
    standin.edit("", f"redirect {OLD}", "/products/3")  # an editor makes one of the same path
    refused = shop().change(undo)
    assert (refused.state, refused.reason, held(standin)) == ("refused", CHANGED, {OLD: "/products/3"})


def test_the_same_change_sent_eight_times_simultaneously_creates_one_redirect(standin: Shop) -> None:
    asked = redirect(NEW)

    def send(_: int) -> Outcome | None:
        try:
            return shop().change(asked)
        except Unavailable:
            return None  # another one is at work: to be sent again

    with ThreadPoolExecutor(8) as pool:
        answers = [one for one in pool.map(send, range(8)) if one is not None]
    assert answers and set(map(repr, answers)) == {repr(shop().change(asked))}
    assert held(standin) == {OLD: NEW} and standin.writes == [("", f"redirect {OLD}", NEW)]


def test_a_change_with_a_lower_sequence_number_is_superseded(standin: Shop) -> None:
    shop().change(redirect(NEW, sequence=5))
    assert shop().change(redirect("/products/2", sequence=4)).state == "superseded" and held(standin) == {OLD: NEW}


def test_a_retry_creates_a_redirect_that_was_deleted_before_the_write(
    standin: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    standin.edit("", f"redirect {OLD}", "/products/2")
    asked, real = redirect(NEW), HttpShop._post

    def post(self: HttpShop, body: bytes, deadline: float) -> Any:
        if b"UpdateRedirect" in body:
            standin.edit("", f"redirect {OLD}", None)
        return real(self, body, deadline)

    with monkeypatch.context() as patch:
        patch.setattr(HttpShop, "_post", post)
        with pytest.raises(Unavailable, match="deleted in the shop") as caught:
            shop().change(asked)
    assert not caught.value.sent and held(standin) == {}


# -- what the shop says ------------------------------------------------------------------------------------


def test_a_refusal_quotes_the_message_of_shopify(standin: Shop) -> None:
    standin.misbehave("refuse")
    outcome = shop().change(redirect(NEW))
    assert outcome.state == "refused" and REFUSAL in (outcome.reason or "") and held(standin) == {}


def test_a_new_redirect_is_refused_and_deleted_if_the_shop_changes_its_path(
    standin: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = standin.redirects.store
    monkeypatch.setattr(
        standin.redirects, "store", lambda gid, path, target, **more: real(gid, path.partition("?")[0], target, **more)
    )
    outcome = shop().change(redirect(NEW, "/old?x=1"))
    assert (outcome.state, outcome.reason, held(standin)) == ("refused", redirects.OTHER_PATH, {})


def test_an_existing_redirect_is_not_deleted_if_the_shop_changes_its_path(
    standin: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    standin.edit("", f"redirect {OLD}", "/products/2")
    real = standin.redirects.store
    monkeypatch.setattr(
        standin.redirects, "store", lambda gid, path, target, **more: real(gid, "/elsewhere", target, **more)
    )
    outcome = shop().change(redirect(NEW))
    assert (outcome.state, outcome.reason) == ("refused", redirects.OTHER_PATH)
    assert standin.counts["urlRedirectDelete"] == 0 and held(standin) == {"/elsewhere": NEW}


@pytest.mark.parametrize(
    ("member", "answer"),
    [
        ("urlRedirects", lambda one: None),
        ("urlRedirects", lambda one: one | {"nodes": [{"id": "x", "path": "/x", "target": "/y"}] * 300}),
        ("urlRedirects", lambda one: one | {"nodes": [{"id": "x", "path": 1, "target": "/y"}]}),
        ("urlRedirects", lambda one: one | {"nodes": [{"id": "x", "path": "/x", "target": "y" * 20_000}]}),
        ("currentAppInstallation", lambda one: {}),
        ("written", lambda one: None),
    ],
)
def test_after_a_malformed_answer_no_redirect_is_written(
    standin: Shop, monkeypatch: pytest.MonkeyPatch, member: str, answer: Callable[[Any], Any]
) -> None:
    answering(monkeypatch, member, answer)
    with pytest.raises(Unavailable, match="not as Shopify's Admin API does"):
        shop().change(redirect(NEW))
    assert standin.writes == []


def test_an_answer_without_the_written_redirect_is_an_error_and_a_retry_succeeds(
    standin: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        answering(patch, "written", lambda one: {"userErrors": [], "urlRedirect": None})
        with pytest.raises(Unavailable, match="not as Shopify's Admin API does") as caught:
            shop().change(redirect(NEW))
    assert caught.value.sent
    assert shop().change(redirect(NEW)).state == "written" and len(standin.writes) == 1


def test_a_change_is_refused_if_the_current_target_is_too_long(standin: Shop) -> None:
    standin.edit("", f"redirect {OLD}", "/" + "x" * 5_000)
    outcome = shop().change(redirect(NEW))
    assert outcome.state == "refused" and "longer than" in (outcome.reason or "") and standin.writes == []
