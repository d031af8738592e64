"""Signatures of requests to a connector: the published vectors, and every way in which one can be wrong."""

import hashlib
import hmac
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.connector import signature

DOCS = Path(__file__).resolve().parents[3] / "docs"
PUBLISHED: dict[str, Any] = json.loads((DOCS / "connector-vectors.json").read_text(encoding="utf-8"))
SECRET = signature.make_secret(bytes(range(32)))
NOW = 1_764_000_000
NONCE = "0123456789abcdef"
PATH = "/wos/v1/changes"


@pytest.mark.parametrize("vector", PUBLISHED["vectors"], ids=lambda vector: vector["operation"])
def test_connector_signatures_match_the_published_vectors(vector: dict[str, str]) -> None:
    body, at = vector["body"].encode(), int(vector["time"])
    path = signature.ROOT + vector["operation"]
    assert signature.sign(PUBLISHED["secret"], at, vector["nonce"], path, body) == vector["signature"]
    # As the page says it, without the code of this project.
    lines = (vector["time"], vector["nonce"], "POST", path, hashlib.sha256(body).hexdigest())
    mac = hmac.new(PUBLISHED["secret"].encode(), "\n".join(lines).encode(), "sha256").hexdigest()
    assert vector["signature"] == f"v1={mac}"
    headers = signature.headers(PUBLISHED["secret"], at, vector["nonce"], path, body)
    assert signature.fault(PUBLISHED["secret"], lowered(headers), path, body, at) is None


def test_the_documentation_shows_one_of_the_test_vectors() -> None:
    page = (DOCS / "connector.md").read_text(encoding="utf-8")
    vector = next(vector for vector in PUBLISHED["vectors"] if vector["operation"] == "status")
    for part in (PUBLISHED["secret"], vector["time"], vector["nonce"], vector["signature"]):
        assert part in page
    assert {vector["operation"] for vector in PUBLISHED["vectors"]} == {"pair", "status", "items", "changes", "files"}


def lowered(headers: dict[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def made(body: bytes = b"{}", at: int = NOW) -> dict[str, str]:
    return lowered(signature.headers(SECRET, at, NONCE, PATH, body))


@pytest.mark.parametrize(("seconds", "fault"), [(0, None), (300, None), (-300, None), (301, "late"), (-301, "late")])
def test_a_signature_is_valid_for_five_minutes_before_and_after_its_time(seconds: int, fault: str | None) -> None:
    assert signature.fault(SECRET, made(), PATH, b"{}", NOW + seconds) == fault


@pytest.mark.parametrize("name", ["x-wos-time", "x-wos-nonce", "x-wos-signature"])
def test_a_missing_or_malformed_signature_header_is_refused(name: str) -> None:
    headers = made()
    absent = {key: value for key, value in headers.items() if key != name}
    assert signature.fault(SECRET, absent, PATH, b"{}", NOW) in ("unsigned", "bad_signature")
    for value in ("", " ", "é", "0", "-1", headers[name] + "0", headers[name].upper() + "A", "1e9", "9" * 400):
        found = signature.fault(SECRET, {**headers, name: value}, PATH, b"{}", NOW)
        assert found in ("unsigned", "bad_signature"), value


@given(st.binary(max_size=40), st.binary(max_size=40))
def test_a_signature_is_invalid_for_another_body(body: bytes, other: bytes) -> None:
    found = signature.fault(SECRET, made(body), PATH, other, NOW)
    assert found == (None if body == other else "bad_signature")


def test_a_signature_is_invalid_for_another_path_or_secret() -> None:
    assert signature.fault(SECRET, made(), "/wos/v1/files", b"{}", NOW) == "bad_signature"
    assert signature.fault(signature.make_secret(bytes(32)), made(), PATH, b"{}", NOW) == "bad_signature"


def test_a_secret_needs_32_random_bytes() -> None:
    assert signature.make_secret(b"\xff" * 40) == "wos_cn_" + "ff" * 32
    with pytest.raises(ValueError, match="32 bytes"):
        signature.make_secret(b"short")
