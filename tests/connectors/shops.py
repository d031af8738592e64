"""A shop that tests ask, and everything that it can be asked."""

from collections.abc import Callable
from typing import Any

import pytest

from chalicelib.connectors.errors import OutsideError, Unavailable
from chalicelib.connectors.shop import HttpShop
from chalicelib.domain.connector.messages import Change
from chalicelib.settings.reading import forget_settings
from local.standins.shop import NAME, TOKEN, Shop

ADDRESS = f"https://{NAME}"
CHANGE = Change(
    change_id="b:0",
    sequence=1,
    cms_id="gid://shopify/Product/1",
    url="https://shop.example/products/1",
    field="title",
    value="New",
)
ALT = Change(
    change_id="b:1",
    sequence=1,
    cms_id="gid://shopify/Product/1",
    url="https://shop.example/products/1",
    field="alt",
    value="A tent",
    key="https://shop.example/cdn/shop/files/tent-1.jpg 1",
)
REDIRECT = Change(
    change_id="b:2",
    sequence=1,
    cms_id=None,
    url="https://shop.example/old",
    field="redirect",
    value="https://shop.example/products/1",
    key="/old",
)
CALLS: dict[str, Callable[[HttpShop], Any]] = {
    "status": lambda shop: shop.status(),
    "items": lambda shop: shop.items(),
    "change": lambda shop: shop.change(CHANGE),
    "alt": lambda shop: shop.change(ALT),
    "redirect": lambda shop: shop.change(REDIRECT),
}
every_call = pytest.mark.parametrize("call", CALLS)


def asking(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setenv("SHOP_ADMIN_URL", url)
    forget_settings()


def shop() -> HttpShop:
    return HttpShop(ADDRESS, TOKEN)


def lost(asked: Change, document: str) -> OutsideError:
    """The error of a change whose answer to this request is lost, although it was executed."""
    real = HttpShop._post

    def post(self: HttpShop, body: bytes, deadline: float) -> Any:
        reply = real(self, body, deadline)
        if document.encode() in body:
            raise Unavailable("the answer was lost")
        return reply

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HttpShop, "_post", post)
        with pytest.raises(Unavailable) as caught:
            shop().change(asked)
    return caught.value


def answering(monkeypatch: pytest.MonkeyPatch, member: str, answer: Callable[[dict[str, Any]], Any]) -> None:
    """Change what the stand-in answers to this member."""
    real = Shop._answered

    def answered(self: Shop, request: dict[str, Any]) -> dict[str, Any]:
        said = real(self, request)
        if member in (said.get("data") or {}):
            said["data"][member] = answer(said["data"][member])
        return said

    monkeypatch.setattr(Shop, "_answered", answered)
