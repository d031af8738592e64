"""Contexts that verify certificates: shared by who trusts alike, and never stale."""

import shutil
import ssl
from pathlib import Path

import pytest

from chalicelib.net.trust import HTTP_1, trusting
from tests.servers.authority import Authority


def issuers(context: ssl.SSLContext) -> int:
    return len(context.get_ca_certs())


def test_callers_with_the_same_settings_share_one_tls_context(authority: Authority) -> None:
    assert trusting() is trusting()
    assert trusting(authority.ca_file) is trusting(authority.ca_file)
    assert trusting() is not trusting(authority.ca_file)
    assert trusting(authority.ca_file) is not trusting(authority.ca_file, HTTP_1)


def test_every_tls_context_verifies_certificates(authority: Authority) -> None:
    for context in (trusting(), trusting(authority.ca_file, HTTP_1)):
        assert context.verify_mode == ssl.CERT_REQUIRED and context.check_hostname
        assert context.minimum_version == ssl.TLSVersion.TLSv1_2


def test_a_changed_ca_file_is_read_again(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    first, second = (Authority(tmp_path / name) for name in ("one", "two"))
    file = tmp_path / "ca.pem"
    shutil.copy(first.ca_file, file)
    before = trusting(str(file))
    file.write_text(Path(first.ca_file).read_text() + Path(second.ca_file).read_text())
    after = trusting(str(file))
    assert after is not before and issuers(after) == issuers(before) + 1


def test_a_missing_ca_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError):  # noqa: PT011 - whatever the system says of it
        trusting(str(tmp_path / "none.pem"))
