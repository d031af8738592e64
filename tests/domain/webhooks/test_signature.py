"""Signatures: the published vectors, and what the page for receivers tells them to run."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.webhooks import signature
from chalicelib.domain.webhooks.delivery import State
from chalicelib.domain.webhooks.kinds import EVENT_KINDS
from tests.domain.webhooks.snippets import PAGE, PROGRAMS, PUBLISHED, run, snippet

SECRET: str = PUBLISHED["secret"]
VECTORS: list[dict[str, str]] = PUBLISHED["vectors"]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_webhook_signatures_match_the_published_vectors(vector: dict[str, str]) -> None:
    body = bytes.fromhex(vector["bodyHex"])
    assert body == vector["body"].encode()
    assert signature.sign(SECRET, body) == vector["signature"]
    assert signature.verify(SECRET, body, vector["signature"])


def test_the_documentation_shows_one_of_the_test_vectors() -> None:
    (empty,) = [vector for vector in VECTORS if vector["body"] == "{}"]
    assert empty["signature"] in PAGE


@given(st.binary(), st.binary(min_size=1, max_size=4))
def test_any_change_of_the_body_makes_the_signature_invalid(body: bytes, more: bytes) -> None:
    signed = signature.sign(SECRET, body)
    assert re.fullmatch(r"sha256=[0-9a-f]{64}", signed)
    assert signature.verify(SECRET, body, signed)
    assert not signature.verify(SECRET, body + more, signed)
    assert not signature.verify(SECRET + "x", body, signed)


@pytest.mark.parametrize("wrong", [None, "", "sha256=", "sha256=é", "md5=00", "SHA256=" + "0" * 64])
def test_a_malformed_signature_is_always_invalid(wrong: str | None) -> None:
    assert not signature.verify(SECRET, b"{}", wrong)


def test_a_secret_has_256_bits_and_a_recognisable_prefix() -> None:
    assert signature.make_secret(bytes(range(32))) == SECRET
    assert re.fullmatch(r"wos_wh_[0-9a-f]{64}", SECRET)
    with pytest.raises(ValueError, match="32 bytes"):
        signature.make_secret(b"short")


def test_generated_headers_pass_verification() -> None:
    made = signature.headers("ping", "dlv_1", SECRET, b"{}")
    assert list(made) == ["Content-Type", "User-Agent", "X-Service-Event", "X-Service-Delivery", "X-Service-Signature"]
    assert signature.verify(SECRET, b"{}", made["X-Service-Signature"])


# -- the snippets, run -------------------------------------------------------------------------------------


def test_the_python_example_verifies_every_vector() -> None:
    names: dict[str, Any] = {}
    exec(snippet("python"), names)
    for vector in VECTORS:
        body = bytes.fromhex(vector["bodyHex"])
        assert names["is_genuine"](SECRET, body, vector["signature"])
        assert not names["is_genuine"](SECRET, body + b" ", vector["signature"])
        assert not names["is_genuine"](SECRET, body, "é")


def test_the_shell_example_verifies_every_vector(tmp_path: Path) -> None:
    for number, vector in enumerate(VECTORS):
        file = tmp_path / str(number)
        file.write_bytes(bytes.fromhex(vector["bodyHex"]))
        script = snippet("bash") + f"signature_of {SECRET} {file}\n"
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=200, check=True)
        assert done.stdout.strip() == vector["signature"]


def test_the_examples_in_other_languages_verify_every_vector(tmp_path: Path) -> None:
    """If the language is not installed, only the source is checked: raw body, complete secret and the right header."""
    calls = {
        "javascript": "createHmac",
        "php": "hash_hmac('sha256', $body, $secret)",
        "go": "hmac.New(sha256.New, []byte(secret))",
    }
    for language, program in PROGRAMS.items():
        assert calls[language] in program.source and "sha256=" in program.source
        if shutil.which(program.command[0]):
            run(language, tmp_path)


def test_the_documentation_names_every_event_state_and_header() -> None:
    for kind in (*EVENT_KINDS, "ping"):
        assert f"`{kind}`" in PAGE
    for state in State.__args__:  # type: ignore[attr-defined]
        assert f"`{state}`" in PAGE
    for header in signature.headers("ping", "dlv_1", SECRET, b""):
        assert f"`{header}`" in PAGE
