"""A shop that tests ask, and everything that it can be asked."""

from collections.abc import Callable
from typing import Any

import pytest

from chalicelib.connectors.shop import HttpShop
from chalicelib.domain.connector.messages import Change
from chalicelib.settings.reading import forget_settings
from local.standins.shop import NAME, TOKEN

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
