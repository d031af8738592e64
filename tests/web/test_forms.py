"""Forms: only our own pages may send them, each is done once, and nothing changes by asking."""

import base64

import pytest

from chalicelib.settings.reading import forget_settings
from chalicelib.store import crawls
from chalicelib.web import forms
from tests.api import seed
from tests.api.conftest import House
from tests.web.conftest import Browser, Screen

KEY = "0f" * 32


@pytest.fixture
def overview(house: House, browser: Browser) -> Screen:
    seed.settled(house.site)
    return browser.get(f"/app/sites/{house.site.id}")


def started(house: House) -> int:
    return len([one for one in crawls.list_audits(house.site.id, 25) if one.id != seed.AUDIT])


def test_a_valid_form_is_processed(house: House, browser: Browser, overview: Screen) -> None:
    path = f"/app/sites/{house.site.id}"
    screen = browser.follow(browser.submit(overview, path))
    assert "The audit is queued." in screen.main
    assert started(house) == 1


def test_the_same_form_sent_twice_is_processed_once(house: House, browser: Browser, overview: Screen) -> None:
    path = f"/app/sites/{house.site.id}"
    first, second = browser.submit(overview, path), browser.submit(overview, path)
    assert first.location == second.location
    assert started(house) == 1


def test_a_refused_form_can_be_sent_again(house: House, browser: Browser, overview: Screen) -> None:
    path = f"/app/sites/{house.site.id}"
    other = browser.get(path)
    browser.submit(other, path)
    refused = [browser.submit(overview, path) for _ in range(2)]
    assert [screen.status for screen in refused] == [409, 409]
    assert "running" in refused[0].main or "queued" in refused[0].main


@pytest.mark.parametrize(
    "headers",
    [
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"sec_fetch_site": "none"},
        {"sec_fetch_site": ""},
    ],
)
def test_a_form_sent_from_another_website_is_refused(
    house: House, browser: Browser, overview: Screen, headers: dict[str, str]
) -> None:
    path = f"/app/sites/{house.site.id}"
    screen = browser.post(path, overview.fields(path), **headers)
    assert (screen.status, screen.heading) == (403, "Not sent from here")
    assert started(house) == 0


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost", 303),
        ("http://evil.example", 403),
        ("https://localhost", 403),
        ("http://localhost.evil.example", 403),
        ("null", 403),
        ("", 403),
    ],
)
def test_the_origin_header_is_checked_if_fetch_metadata_is_missing(
    house: House, browser: Browser, overview: Screen, origin: str, status: int
) -> None:
    path = f"/app/sites/{house.site.id}"
    sent = {"content-type": forms.MEDIA_TYPE, "origin": origin}
    body = "&".join(f"{name}={value}" for name, value in overview.fields(path).items()).encode()
    assert browser.request("POST", path, sent, body).status == status


@pytest.mark.parametrize("change", ["none", "of another session", "cut", "nonsense"])
def test_a_form_without_the_token_of_the_session_is_refused(
    house: House, browser: Browser, overview: Screen, change: str
) -> None:
    path = f"/app/sites/{house.site.id}"
    fields = overview.fields(path)
    wrong = {"of another session": forms.token(KEY), "cut": fields["token"][:40], "nonsense": "é&=<", "none": ""}
    screen = browser.post(path, fields | {"token": wrong[change]})
    assert (screen.status, screen.heading) == (403, "Not sent from here")
    assert started(house) == 0


def test_forms_must_come_from_the_configured_app_address(
    house: House, browser: Browser, overview: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("APP_URL", "http://seo.example/optimize")
    forget_settings()
    path = f"/app/sites/{house.site.id}"
    shown = browser.get(path)
    action = f"/optimize/sites/{house.site.id}"
    sent = {"content-type": forms.MEDIA_TYPE}
    body = "&".join(f"{name}={value}" for name, value in shown.fields(action).items()).encode()
    assert browser.request("POST", path, sent | {"origin": "http://localhost"}, body).status == 403
    answer = browser.request("POST", path, sent | {"origin": "http://seo.example"}, body)
    assert answer.location == f"{action}?done=started"


def test_forms_must_come_from_the_same_host_if_no_address_is_configured(
    house: House, browser: Browser, overview: Screen
) -> None:
    path = f"/app/sites/{house.site.id}"
    body = "&".join(f"{name}={value}" for name, value in overview.fields(path).items()).encode()
    sent = {"content-type": forms.MEDIA_TYPE, "host": "10.0.0.5:8000"}
    assert browser.request("POST", path, sent | {"origin": "http://10.0.0.6:8000"}, body).status == 403
    assert browser.request("POST", path, sent | {"origin": "http://10.0.0.5:8000"}, body).status == 303


def test_a_body_that_is_no_valid_form_is_refused(browser: Browser, overview: Screen, house: House) -> None:
    path = f"/app/sites/{house.site.id}"
    for body, kind, status in (
        (b"{}", "application/json", 415),
        (b"a", forms.MEDIA_TYPE, 400),
        (b"\xff=1", forms.MEDIA_TYPE, 400),
        (b"a=" + b"x" * forms.LARGEST_BYTES, forms.MEDIA_TYPE, 413),
        (b"&".join(b"a=1" for _ in range(forms.MOST_FIELDS + 1)), forms.MEDIA_TYPE, 400),
        (b"", forms.MEDIA_TYPE, 403),
    ):
        sent = {"content-type": kind, "sec-fetch-site": "same-origin"}
        assert browser.request("POST", path, sent, body).status == status


def test_a_person_whose_session_ended_is_led_from_the_form_to_sign_in(
    house: House, browser: Browser, overview: Screen
) -> None:
    path = f"/app/sites/{house.site.id}"
    fields = overview.fields(path)
    screen = Browser().post(path, fields)
    assert screen.status == 303 and screen.location.startswith("/app/sign-in?next=")
    assert started(house) == 0


def test_a_get_request_changes_nothing(house: House, browser: Browser) -> None:
    seed.settled(house.site)
    path = f"/app/sites/{house.site.id}"
    browser.get(f"{path}?done=started&token=x&nonce=y&do=start")
    assert started(house) == 0


def test_every_answer_masks_the_form_token_differently() -> None:
    tokens = {forms.token(KEY) for _ in range(20)}
    assert len(tokens) == 20
    assert all(forms.is_token(KEY, token) for token in tokens)
    assert not any(forms.is_token("0e" * 32, token) for token in tokens)
    halves = {base64.urlsafe_b64decode(token)[32:] for token in tokens}
    assert len(halves) == 20


def test_only_a_valid_form_token_is_accepted() -> None:
    for text in ("", "a", "é" * 88, forms.token(KEY)[:-4], forms.token(KEY) + "AAAA", "=" * 88):
        assert not forms.is_token(KEY, text)
