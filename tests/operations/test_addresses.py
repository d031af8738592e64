"""The public address: who wins, and what can be one."""

from collections.abc import Iterator

import pytest

from chalicelib.domain.accounts.rights import OPERATOR, Actor
from chalicelib.operations import addresses
from chalicelib.operations.errors import Refused
from chalicelib.settings.reading import forget_settings

pytestmark = pytest.mark.usefixtures("store")


@pytest.fixture(autouse=True)
def patch() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("APP_URL", "")
        forget_settings()
        yield patch
    forget_settings()


def test_an_address_in_the_settings_overrides_the_stored_public_address(patch: pytest.MonkeyPatch) -> None:
    assert addresses.app_address() == "/app"
    assert addresses.app_address("http://localhost:8000/app") == "http://localhost:8000/app"
    assert addresses.public_address() is None
    assert addresses.set_public_address(OPERATOR, " https://seo.example.com/live/ ") == "https://seo.example.com/live"
    assert addresses.public_address() == "https://seo.example.com/live"
    assert addresses.app_address("http://localhost:8000/app") == "https://seo.example.com/live/app"
    patch.setenv("APP_URL", "https://app.example.org/")
    forget_settings()
    assert addresses.app_address("http://localhost:8000/app") == "https://app.example.org"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "seo.example.com",
        "ftp://seo.example.com",
        "javascript:alert(1)",
        "https://",
        "https://user:secret@seo.example.com",
        "https://seo.example.com/?a=b",
        "https://seo.example.com/#x",
        "https://seo.example.com:99999",
        "https://seo.example.com/\nx",
        "https://seo.example.com/a b",
        "https://sëo.example.com",
        'https://seo.example.com/"><b>',
        "https://seo.example.com/" + "a" * 500,
        "https://[::1",
    ],
)
def test_an_invalid_public_address_is_refused(url: str) -> None:
    with pytest.raises(Refused) as refused:
        addresses.set_public_address(OPERATOR, url)
    assert refused.value.code == "bad_url"
    assert addresses.public_address() is None


def test_only_the_operator_can_set_the_public_address() -> None:
    with pytest.raises(Refused) as refused:
        addresses.set_public_address(Actor("wsp_1", "usr_1", "owner"), "https://seo.example.com")
    assert refused.value.code == "not_allowed"
