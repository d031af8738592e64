"""``secrets reencrypt``: afterwards the old key may go, whatever was killed or written in between."""

import base64
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from botocore.exceptions import ClientError

from chalicelib import clock
from chalicelib.connectors import google
from chalicelib.domain.accounts.rights import OPERATOR, Actor
from chalicelib.operations import accounts, assistant_keys, endpoints, previews, reencryption, websites
from chalicelib.operations.errors import Refused
from chalicelib.operations.sources import StoredAccount
from chalicelib.settings.reading import forget_settings
from chalicelib.store import accounts as accounts_store
from chalicelib.store import assistant_keys as stored_keys
from chalicelib.store import connections, key_file, sealed, secrets, sources
from chalicelib.store import endpoints as stored_endpoints
from chalicelib.store import previews as stored_previews
from chalicelib.store import websites as stored_websites
from chalicelib.store.connections import Credentials
from chalicelib.store.errors import AWS_ERRORS, KeyUnusable
from chalicelib.store.reencryption import Progress, load
from chalicelib.store.secrets import Secret
from chalicelib.store.sources import SourceCredentials
from chalicelib.store.transactions import commit
from local import kms
from tests import aws
from tests.crash.crashing import Killed, killed_at

ROOT = Path(__file__).resolve().parent.parent.parent
GRANT = google.GrantedAccount(client_id="c", client_secret="s", refresh_token="first")


class Kept(NamedTuple):
    """What is sealed in one workspace, one secret of each kind, and the texts."""

    workspace_id: str
    site_id: str
    endpoint_id: str
    texts: dict[str, str]

    def opened(self) -> dict[str, str]:
        """Every secret as its users open it. Raises ``AWS_ERRORS``."""
        forget()
        endpoint = stored_endpoints.get(self.workspace_id, self.endpoint_id)
        assert endpoint is not None
        context = stored_endpoints.context(self.workspace_id, self.endpoint_id)
        found = {"endpoint": secrets.unseal(endpoint.secret, **context).reveal()}
        found |= {kept.provider: kept.key().reveal() for kept in stored_keys.list_all(self.workspace_id)}
        for state in connections.STATES:
            for kind in ("cms", "shop"):
                credentials = connections.get(self.site_id, kind, state)
                if credentials is not None:
                    found[f"{state} {kind}"] = credentials.secret().reveal()
        for source in ("search", "analytics"):
            account = sources.get(self.site_id, source)
            assert account is not None
            found[source] = account.secret().reveal()
        last = stored_previews.last(self.site_id)
        preview = None if last is None else stored_previews.load(self.site_id, last.preview_id)
        access = None if preview is None else stored_previews.access(preview.header)
        assert access is not None
        found["preview"] = access.reveal()
        return found


def forget() -> None:
    """As in a process that has just begun."""
    key_file._keys.cache_clear()
    secrets._kept.clear()
    forget_settings()


def line() -> str:
    return base64.b64encode(os.urandom(key_file.KEY_BYTES)).decode() + "\n"


@pytest.fixture
def file(store: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    path = tmp_path / "key"
    path.write_text(line())
    monkeypatch.setenv("SECRETS_KEY", f"file:{path}")
    forget()
    yield path
    monkeypatch.undo()
    forget()


def keep(name: str = "Acme") -> Kept:
    """A workspace with a secret of every kind."""
    workspace = accounts.create_workspace(OPERATOR, name, "agency").id
    site = websites.add(OPERATOR, workspace, "https://acme.example").id
    new = endpoints.add(OPERATOR, workspace, "https://hooks.example/", ["audit.finished"])
    assistant_keys.put(OPERATOR, workspace, "openai", Secret("sk-0123456789"))
    texts = {"endpoint": new.secret.reveal(), "openai": "sk-0123456789"}
    for kind, state in (("cms", "connected"), ("shop", "connected"), ("cms", "pairing")):
        texts[f"{state} {kind}"] = text = f"the {state} {kind}"
        credentials = Credentials(
            id=f"conn_{state}",
            kind=kind,  # type: ignore[arg-type]
            site_id=site,
            workspace_id=workspace,
            base_url="https://acme.example/",
            sealed=connections.seal(Secret(text), workspace, site, kind),  # type: ignore[arg-type]
            key_id="key_1",
            hint="abcd",
            created_at=1.0,
        )
        begun = connections.begin_pairing(credentials, None)
        commit([begun] if state == "pairing" else [connections.connected(credentials, None)[0]])
    for source in ("search", "analytics"):
        texts[source] = google.packed(GRANT)
        account = SourceCredentials(
            id=f"conn_{source}",
            kind=source,  # type: ignore[arg-type]
            site_id=site,
            workspace_id=workspace,
            name="sc-domain:acme.example",
            sealed=sources.seal(Secret(texts[source]), workspace, site, source),  # type: ignore[arg-type]
            created_at=1.0,
        )
        commit([sources.connected(account, None)])
    website = stored_websites.get(workspace, site)
    assert website is not None
    texts["preview"] = '{"X-Bypass":"open"}'
    previews.start(
        website,
        100,
        "https://93.184.215.14/",
        access=Secret(texts["preview"]),
        ignores_robots=False,
        page_budget=None,
        person_id=None,
        now=clock.now(),
    )
    return Kept(workspace, site, new.endpoint.id, texts)


def walk(most: int = 1_000, older: str | None = None) -> reencryption.Walked:
    forget()
    return reencryption.go_on(OPERATOR, most, older=older)


def put_above(file: Path) -> str:
    """A new key above the others; gives that line alone."""
    new = line()
    file.write_text(new + file.read_text())
    forget()
    return new


def test_after_reencryption_secrets_open_without_the_old_key(file: Path) -> None:
    kept = keep()
    new = put_above(file)
    walked = walk()
    assert walked == (Progress(kept.workspace_id, 1, len(kept.texts), 0, 0), True, [])
    file.write_text(new)
    assert kept.opened() == kept.texts
    assert walk().progress == Progress(kept.workspace_id, 1, 0, len(kept.texts), 0), "there is nothing left to do"


def test_every_stored_secret_is_encrypted_again(file: Path) -> None:
    """A new kind of secret that re-encryption does not know would be lost with the old key."""
    keep()
    before = bytes_of_rows()
    put_above(file)
    walk()
    assert before.isdisjoint(bytes_of_rows())


def test_every_module_that_encrypts_secrets_is_known_to_reencryption() -> None:
    """Add a new module to ``store/sealed.py`` first, so that re-encryption finds its secrets, and then to this list."""
    found = {
        path.relative_to(ROOT).as_posix()
        for folder in ("chalicelib", "host", "local", "management")
        for path in (ROOT / folder).rglob("*.py")
        if re.search(r"\bsecrets\.seal\(", path.read_text(encoding="utf-8"))
    }
    stored = {"store/assistant_keys.py", "store/connections.py", "store/sources.py", "store/previews.py"}
    stored.add("operations/endpoints.py")
    checks = {"chalicelib/store/health.py", "host/service.py"}
    assert found == checks | {f"chalicelib/{path}" for path in stored}


def bytes_of_rows() -> set[bytes]:
    """Whatever looks encrypted: bytes that begin as the key file's encryption does."""
    rows = (row for table in ("accounts", "crawls", "sites", "webhooks") for row in aws.stored(table))
    values = (value for row in rows for value in row.values())
    found = {value for value in values if isinstance(value, bytes) and value[:1] == b"\x01" and len(value) > 29}
    assert len(found) == 8
    return found


def test_the_operator_can_name_the_old_key_file(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = keep()
    other = tmp_path / "other"
    other.write_text(line())
    monkeypatch.setenv("SECRETS_KEY", f"file:{other}")
    lost = walk()
    assert lost.progress.unreadable == len(kept.texts) and len(lost.unreadable) == len(kept.texts)
    assert f"cms of {kept.site_id}" in lost.unreadable and f"endpoint {kept.endpoint_id}" in lost.unreadable
    assert walk(older=f"file:{file}").progress.reencrypted == len(kept.texts)
    file.unlink()
    assert kept.opened() == kept.texts


def test_secrets_move_from_a_key_file_to_kms(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = keep()
    monkeypatch.setenv("SECRETS_KEY", "alias/wos-secrets")
    assert walk(older=f"file:{file}").progress.reencrypted == len(kept.texts)
    file.unlink()
    assert kept.opened() == kept.texts
    assert walk().progress.reencrypted == len(kept.texts), "nobody can tell which key of KMS a secret has"
    assert kept.opened() == kept.texts


def test_a_wrong_kms_key_and_a_refusal_by_kms_have_different_errors(
    store: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = keep()
    before = kms._key
    kms.use(os.urandom(kms.KEY_BYTES))
    try:
        assert walk().progress.unreadable == len(kept.texts)
    finally:
        kms.use(before)
    refusal = ClientError({"Error": {"Code": "AccessDeniedException", "Message": "not yours"}}, "Decrypt")

    def refuse(**_: object) -> None:
        raise refusal

    with monkeypatch.context() as patch:
        patch.setattr(secrets.client.kms(), "decrypt", refuse)
        with pytest.raises(ClientError):
            walk()
    assert kept.opened() == kept.texts


def test_an_unusable_key_file_changes_nothing(file: Path, tmp_path: Path) -> None:
    kept = keep()
    with pytest.raises(KeyUnusable):
        walk(older=f"file:{tmp_path / 'none'}")
    put_above(file)
    content = file.read_text()
    file.write_text("AAAA\n")
    with pytest.raises(KeyUnusable):
        walk()
    file.write_text(content)
    assert kept.opened() == kept.texts


@pytest.mark.calm("kills at each write in turn, and counts them")
def test_reencryption_killed_at_any_write_continues_without_loss(file: Path) -> None:
    both = [keep("One"), keep("Two")]
    with killed_at(None) as counter:
        put_above(file)
        walk()
    for number in range(counter.count):
        for when in ("before", "after"):
            new = put_above(file)
            with pytest.raises(Killed), killed_at(number, when):
                walk()
            for kept in both:
                assert kept.opened() == kept.texts
            assert walk().done
            file.write_text(new)
            for kept in both:
                assert kept.opened() == kept.texts


def test_reencryption_resumes_and_starts_over_for_another_key(file: Path) -> None:
    both = sorted([keep("One"), keep("Two")])
    put_above(file)
    assert walk(1) == (Progress(both[0].workspace_id, 1, 8, 0, 0), False, [])
    assert load().after == both[0].workspace_id
    put_above(file)
    assert load() == Progress()
    assert walk(1).progress.reencrypted == 8
    assert walk() == (Progress(both[1].workspace_id, 2, 16, 0, 0), True, [])
    assert load() == Progress()


def test_a_secret_encrypted_with_the_old_key_meanwhile_is_found_before_completion(file: Path) -> None:
    """Between two calls the old key was in use again, and an endpoint was added to a workspace already processed."""
    first, _ = sorted([keep("One"), keep("Two")])
    old, new = file.read_text(), line()
    file.write_text(new + old)
    assert not walk(1).done
    file.write_text(old + new)
    forget()
    added = endpoints.add(OPERATOR, first.workspace_id, "https://hooks.example/2", ["audit.finished"])
    file.write_text(new + old)
    walked = walk()
    assert walked.done and walked.unreadable == []
    assert (walked.progress.reencrypted, walked.progress.current, walked.progress.unreadable) == (17, 0, 0)
    file.write_text(new)
    forget()
    endpoint = stored_endpoints.get(first.workspace_id, added.endpoint.id)
    assert endpoint is not None
    context = stored_endpoints.context(first.workspace_id, endpoint.id)
    assert secrets.unseal(endpoint.secret, **context).reveal() == added.secret.reveal()


def test_a_process_that_still_uses_an_older_key_to_encrypt_is_detected(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = keep()
    old, new = file.read_text(), line()
    both = new + old
    list_all, added = accounts_store.list_workspaces, list[str]()

    def adding() -> list[accounts_store.WorkspaceRow]:
        """Before each round of the walk the other process stores one more secret."""
        file.write_text(old + new)
        forget()
        url = f"https://hooks.example/{len(added)}"
        added.append(endpoints.add(OPERATOR, kept.workspace_id, url, ["audit.finished"]).endpoint.id)
        file.write_text(both)
        forget()
        return list_all()

    file.write_text(both)
    with monkeypatch.context() as patch:
        patch.setattr(accounts_store, "list_workspaces", adding)
        with pytest.raises(Refused, match="Restart every process") as refused:
            walk()
    assert refused.value.code == "busy"
    assert walk().done
    file.write_text(new)
    assert kept.opened() == kept.texts


def test_resuming_reencryption_with_an_older_key_retries_unreadable_secrets(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = sorted([keep("One"), keep("Two")])
    other, wrong = tmp_path / "other", tmp_path / "wrong"
    other.write_text(line())
    wrong.write_text(line())
    monkeypatch.setenv("SECRETS_KEY", f"file:{other}")
    assert walk(1).progress.unreadable == 8
    lost = walk(older=f"file:{wrong}")
    assert lost.done and lost.progress.unreadable == len(lost.unreadable) == 16
    assert {f"endpoint {kept.endpoint_id}" for kept in both} <= set(lost.unreadable)
    assert walk(1).progress.unreadable == 8
    found = walk(older=f"file:{file}")
    assert found == (Progress(both[1].workspace_id, 2, 16, 0, 0), True, [])
    file.unlink()
    for kept in both:
        assert kept.opened() == kept.texts


def test_values_stored_during_reencryption_are_kept(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = keep()
    put_above(file)
    replace, written = sealed.replace, []

    def late(one: sealed.Sealed, value: bytes) -> bool:
        if one.kind == sealed.ASSISTANT and not written:
            written.append(assistant_keys.put(OPERATOR, kept.workspace_id, "openai", Secret("sk-of-the-writer")))
        if one.kind == "shop":
            credentials = connections.get(kept.site_id, "shop")
            assert credentials is not None
            commit([connections.removed(credentials)])
        return replace(one, value)

    monkeypatch.setattr(sealed, "replace", late)
    walked = walk()
    assert walked.done and walked.progress.reencrypted == len(kept.texts) - 2
    found = kept.opened()
    assert found["openai"] == "sk-of-the-writer" and "connected shop" not in found


def test_a_refresh_token_replaced_during_reencryption_is_kept(file: Path) -> None:
    """Google no longer accepts the old token. If the new one were lost, a person would have to connect again."""
    kept = keep()
    credentials = sources.get(kept.site_id, "search")
    assert credentials is not None
    account = StoredAccount(credentials)
    assert account.account() == GRANT
    put_above(file)
    walk()
    newer = google.GrantedAccount(client_id="c", client_secret="s", refresh_token="second")
    account.rotated(GRANT, newer)
    assert account.account() == newer
    account.rotated(GRANT, google.GrantedAccount(client_id="c", client_secret="s", refresh_token="late"))
    assert account.account() == newer, "somebody else's newer token is not replaced"


def test_only_the_operator_can_reencrypt_secrets(store: None) -> None:
    with pytest.raises(Refused):
        reencryption.go_on(Actor("wsp_1", "usr_1", "owner"), 1)


def test_the_command_line_explains_an_unusable_key() -> None:
    assert issubclass(KeyUnusable, AWS_ERRORS)
