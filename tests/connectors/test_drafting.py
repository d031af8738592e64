"""One contract for every assistant, run against a stand-in that speaks each provider's own wire format."""

import json
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from chalicelib.connectors.assistants import drafting
from chalicelib.connectors.assistants.providers import PROVIDERS as SERVICES
from chalicelib.connectors.errors import Declined, NoAccess, NotConnected, OutsideError, Quota, Unavailable
from chalicelib.settings.assistants import assistant_settings
from chalicelib.settings.reading import forget_settings
from local.standins.assistants import FAULTS, KEY, PROVIDERS, RETRY_AFTER_SECONDS, Assistants
from tests.servers.wire import Connection, WireServer

SECRET = "sk-this-is-a-secret-that-stays-one"
PROMPT = "Say <something> – “naïve”.\nOn two lines."
INSTRUCTIONS = "Be brief."


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for provider in PROVIDERS:
        monkeypatch.delenv(f"{provider.upper()}_API_KEY", raising=False)
        monkeypatch.delenv(f"{provider.upper()}_BASE_URL", raising=False)
    monkeypatch.delenv("ASSISTANT", raising=False)
    monkeypatch.delenv("ASSISTANT_MODEL", raising=False)
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    forget_settings()
    yield
    monkeypatch.undo()
    forget_settings()


@pytest.fixture(scope="module")
def shared() -> Iterator[Assistants]:
    standin = Assistants()
    yield standin
    standin.stop()


@pytest.fixture
def standin(shared: Assistants) -> Assistants:
    shared.misbehave("none")
    shared.exchanges.clear()
    return shared


Connect = Callable[..., drafting.Assistant]


@pytest.fixture
def connect(monkeypatch: pytest.MonkeyPatch) -> Connect:
    """The assistant of a provider, by its settings."""

    def by_settings(provider: str, url: str, key: str = KEY, model: str = "") -> drafting.Assistant:
        monkeypatch.setenv("ASSISTANT", provider)
        monkeypatch.setenv("ASSISTANT_MODEL", model)
        monkeypatch.setenv(f"{provider.upper()}_BASE_URL", url)
        monkeypatch.setenv(f"{provider.upper()}_API_KEY", key)
        forget_settings()
        return drafting.connected()

    return by_settings


def test_the_stand_in_supports_every_provider() -> None:
    assert tuple(SERVICES) == PROVIDERS


@pytest.mark.parametrize("provider", PROVIDERS)
class TestEveryAssistant:
    def test_a_draft_has_its_text_and_the_model_that_wrote_it(
        self, provider: str, standin: Assistants, connect: Connect
    ) -> None:
        draft = connect(provider, standin.url, model="some-model").draft(PROMPT, instructions=INSTRUCTIONS)
        assert draft.text == "No AI model was asked: this is the stand-in of the local service."
        assert (draft.model, draft.provider) == ("some-model-stand-in", provider)
        (exchange,) = standin.exchanges
        assert exchange.provider == provider
        sent = json.dumps(exchange.body, ensure_ascii=False)
        assert json.dumps(PROMPT, ensure_ascii=False) in sent and INSTRUCTIONS in sent

    def test_without_instructions_no_system_prompt_is_sent(
        self, provider: str, standin: Assistants, connect: Connect
    ) -> None:
        connect(provider, standin.url).draft(PROMPT)
        body = standin.exchanges[0].body
        assert not {"instructions", "system", "systemInstruction"} & body.keys()
        assert len(body.get("messages", [1])) == 1

    def test_the_default_model_of_the_provider_is_used_without_a_setting(
        self, provider: str, standin: Assistants, connect: Connect
    ) -> None:
        draft = connect(provider, standin.url).draft(PROMPT)
        assert draft.model == f"{SERVICES[provider].usual_model}-stand-in"

    def test_a_base_url_works_with_and_without_the_api_version(
        self, provider: str, standin: Assistants, connect: Connect
    ) -> None:
        version = SERVICES[provider].version
        for url in (standin.url, f"{standin.url}/", f"{standin.url}/{version}"):
            assert connect(provider, url).draft(PROMPT).text

    @pytest.mark.parametrize(
        ("fault", "error"),
        [
            ("access", NoAccess),
            ("quota", Quota),
            ("down", Unavailable),
            ("partial", Unavailable),
            ("refuse", Declined),
            ("long", Declined),
        ],
    )
    def test_failures_are_distinguished_and_the_key_is_not_shown(
        self,
        provider: str,
        fault: str,
        error: type[OutsideError],
        standin: Assistants,
        connect: Connect,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        caplog.set_level(logging.DEBUG)
        standin.misbehave(fault)
        key = SECRET if fault == "access" else KEY
        with pytest.raises(error) as caught:
            connect(provider, standin.url, key=key).draft(PROMPT)
        assert isinstance(caught.value, error) and caught.value.message
        assert key not in f"{caught.value!r}{caught.value.__dict__}{caplog.text}"
        assert caught.value.__cause__ is None
        assert len(standin.exchanges) == 1, "nothing is tried twice"

    def test_a_quota_error_includes_the_time_of_the_next_try(
        self, provider: str, standin: Assistants, connect: Connect
    ) -> None:
        standin.misbehave("quota")
        with pytest.raises(Quota) as caught:
            connect(provider, standin.url).draft(PROMPT)
        assert caught.value.retry_after == RETRY_AFTER_SECONDS

    def test_printing_the_connector_does_not_show_the_key(self, provider: str, connect: Connect) -> None:
        assistant = connect(provider, "https://api.example", key=SECRET)
        assert SECRET not in f"{assistant!r}{assistant}{assistant_settings()!r}"

    def test_without_its_key_an_assistant_is_not_connected(
        self, provider: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ASSISTANT", provider)
        forget_settings()
        with pytest.raises(NotConnected, match=f"{provider.upper()}_API_KEY is not set"):
            drafting.connected()

    def test_the_key_is_sent_only_in_a_header(self, provider: str, standin: Assistants, connect: Connect) -> None:
        connect(provider, standin.url).draft(PROMPT)
        exchange = standin.exchanges[0]
        assert KEY not in exchange.path and KEY not in json.dumps(exchange.body)
        assert sum(KEY in value for value in exchange.headers.values()) == 1

    @pytest.mark.parametrize(
        ("status", "body", "error"),
        [
            ("200 OK", b"<html>A gateway's page</html>", Unavailable),
            ("200 OK", b"[]", Unavailable),
            ("200 OK", b'{"surprise": 1, "candidates": []}', OutsideError),
            ("302 Found", b"", Unavailable),
            ("401 Unauthorized", b"<html>401</html>", NoAccess),
            ("402 Payment Required", b"{}", Quota),
            ("403 Forbidden", b"", NoAccess),
            ("404 Not Found", b'{"error": {"message": "no such model"}}', Declined),
            ("400 Bad Request", b'{"error": {"message": "Your credit balance is too low", "type": "x"}}', Quota),
            ("422 No", b'{"error": "a text"}', Declined),
            ("500 Oops", b"\xff\xfe", Unavailable),
            ("529 Overloaded", b'{"error": null}', Unavailable),
        ],
    )
    def test_an_unexpected_answer_of_an_assistant_is_reported_as_its_error(
        self, provider: str, status: str, body: bytes, error: type[OutsideError], connect: Connect
    ) -> None:
        with WireServer(lambda c: c.answer(body, status)) as server, pytest.raises(error):
            connect(provider, server.url()).draft(PROMPT)

    def test_the_reason_of_a_failure_is_one_short_line_without_the_key(self, provider: str, connect: Connect) -> None:
        words = f"max_tokens\n\x1b[31m is wrong for {SECRET} " + "x" * 500
        body = json.dumps({"error": {"message": words, "code": 400}}).encode()
        with WireServer(lambda c: c.answer(body, "400 Bad Request")) as server, pytest.raises(Declined) as caught:
            connect(provider, server.url(), key=SECRET).draft(PROMPT)
        message = caught.value.message
        assert "max_tokens [31m is wrong for …" in message
        assert SECRET not in message and message.isprintable() and len(message) < 300

    def test_a_slow_answer_is_aborted_at_the_time_limit(self, provider: str, connect: Connect) -> None:
        def slow(connection: Connection) -> None:
            connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n")
            connection.drip(b"{" + b" " * 5000, 0.02)

        with WireServer(slow) as server, pytest.raises(Unavailable, match=r"no answer within 0\.3 seconds"):
            connect(provider, server.url()).draft(PROMPT, seconds=0.3)
        assert server.waited_out == 0


def test_without_a_setting_no_assistant_is_connected() -> None:
    with pytest.raises(NotConnected, match="set ASSISTANT to one of openai, anthropic, gemini, perplexity"):
        drafting.connected()


@pytest.mark.parametrize(
    ("name", "value"), [("ASSISTANT", "hal"), ("ASSISTANT_MODEL", "../secret"), ("ASSISTANT_MODEL", "a b")]
)
def test_an_invalid_assistant_setting_is_reported(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT", "openai")
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv(name, value)
    forget_settings()
    with pytest.raises(NotConnected, match=name):
        drafting.connected()


def test_by_default_each_assistant_uses_the_address_of_the_real_service(monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = {}
    for provider in PROVIDERS:
        monkeypatch.setenv("ASSISTANT", provider)
        monkeypatch.setenv(f"{provider.upper()}_API_KEY", SECRET)
        forget_settings()
        hosts[provider] = drafting.connected().base_url  # type: ignore[attr-defined]
    assert hosts == {
        "openai": "https://api.openai.com",
        "anthropic": "https://api.anthropic.com",
        "gemini": "https://generativelanguage.googleapis.com",
        "perplexity": "https://api.perplexity.ai",
    }


def answering(body: dict[str, Any], connect: Connect, provider: str) -> str:
    with WireServer(lambda c: c.answer(json.dumps(body).encode())) as server:
        return connect(provider, server.url()).draft(PROMPT).text


def test_the_reasoning_of_a_model_is_not_part_of_the_draft(connect: Connect) -> None:
    part = {"type": "output_text", "text": "<think>\nHm, <b>…\n</think>\n\nThe text."}
    body = {"model": "sonar", "status": "completed", "output": [{"type": "message", "content": [part]}]}
    assert answering(body, connect, "perplexity").strip() == "The text."


def test_the_text_parts_of_an_answer_are_joined_unchanged(connect: Connect) -> None:
    content = [
        {"type": "thinking", "thinking": "Hm"},
        {"type": "text", "text": "Two"},
        {"type": "text", "text": " parts."},
    ]
    body = {"model": "m", "content": content, "stop_reason": "end_turn"}
    assert answering(body, connect, "anthropic") == "Two parts."


def test_an_answer_blocked_by_a_filter_is_refused_with_the_reason(connect: Connect) -> None:
    candidates = [{"content": {"parts": []}, "finishReason": "RECITATION"}]
    with pytest.raises(Declined, match="RECITATION"):
        answering({"candidates": candidates}, connect, "gemini")
    body = {"output": [], "status": "incomplete", "incomplete_details": {"reason": "content_filter"}}
    with pytest.raises(Declined, match="content_filter"):
        answering(body, connect, "openai")


def test_the_stand_in_refuses_an_unknown_fault() -> None:
    standin = Assistants()
    try:
        with pytest.raises(ValueError, match="not a fault"):
            standin.misbehave("tired")
        assert "none" in FAULTS
    finally:
        standin.stop()


def test_the_stand_in_is_used_for_each_assistant_that_is_not_configured(standin: Assistants) -> None:
    assert standin.settings({})["ASSISTANT"] == "openai"
    assert set(standin.settings({})) == {"ASSISTANT"} | {
        f"{provider.upper()}_{part}" for provider in PROVIDERS for part in ("API_KEY", "BASE_URL")
    }
    own = standin.settings({"OPENAI_API_KEY": SECRET, "GEMINI_BASE_URL": "https://gateway.example", "ASSISTANT": ""})
    assert own["ASSISTANT"] == "anthropic", "a real service is asked only when the user names it"
    assert not {"OPENAI_BASE_URL", "GEMINI_API_KEY"} & own.keys()
    assert "ASSISTANT" not in standin.settings({"ASSISTANT": "gemini"})
