"""Texts shared by signed addresses, from the bucket of the embedded AWS, over a socket."""

import urllib.error
import urllib.request
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from chalicelib import clock
from chalicelib.store import client, objects
from local import embedded

TEXT = "query,clicks\r\nBücher,3\r\n".encode()


@pytest.fixture(autouse=True)
def endpoint(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    served = embedded.Endpoint()
    monkeypatch.setenv(embedded.OBJECTS_ENDPOINT, served.url)
    client.reset()
    yield served.url
    served.stop()
    monkeypatch.undo()
    client.reset()


def _share(name: str = "a/b c.csv") -> str:
    return objects.share(name, TEXT, "text/csv; charset=utf-8", "rows.csv")


def _refusal(url: str, **headers: str) -> tuple[int, str]:
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(urllib.request.Request(url, headers=headers))
    return refused.value.code, refused.value.read().decode()


def test_a_shared_text_can_be_downloaded_unchanged() -> None:
    with urllib.request.urlopen(_share()) as answer:
        assert answer.read() == TEXT
        assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
        assert answer.headers["Content-Disposition"] == 'attachment; filename="rows.csv"'


def test_a_signed_address_is_valid_for_ten_minutes_and_holds_no_secret() -> None:
    address = _share()
    assert "X-Amz-Expires=600" in address
    credentials = client.s3()._get_credentials()
    assert credentials.secret_key == "local" and "local" not in urlsplit(address).query.replace("local%2F", "")


@pytest.mark.parametrize(
    ("change", "refused"),
    [
        (("X-Amz-Expires=600", "X-Amz-Expires=60000"), "SignatureDoesNotMatch"),
        (("b%20c.csv", "other.csv"), "SignatureDoesNotMatch"),
        (("rows.csv", "rows.exe"), "SignatureDoesNotMatch"),
        (("X-Amz-Expires=600", "X-Amz-Expires=0"), "Request has expired"),
        (("X-Amz-Signature", "X-Amz-Nothing"), "AccessDenied"),
        (("/wos-exports/", "/other/"), "SignatureDoesNotMatch"),
    ],
)
def test_a_changed_signed_address_is_refused(change: tuple[str, str], refused: str) -> None:
    address = _share()
    assert change[0] in address
    status, text = _refusal(address.replace(*change))
    assert status == 403 and refused in text


def test_a_signed_address_with_an_authorization_header_is_refused() -> None:
    assert _refusal(_share(), Authorization="Bearer x")[0] == 400


def test_a_shared_text_expires_after_a_day() -> None:
    address = _share()
    clock.set_offset(24 * 3_600.0)
    status, text = _refusal(address)
    assert status == 404 and "NoSuchKey" in text


def test_an_unknown_bucket_accepts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(client.s3().exceptions.NoSuchBucket):
        client.s3().put_object(Bucket="elsewhere", Key="a", Body=b"")
