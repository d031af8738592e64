"""Requests side by side, answers in order."""

import asyncio

import pytest

from chalicelib.workers.audit import window as module
from chalicelib.workers.audit.window import OrderedWindow


async def _after(seconds: float, answer: str) -> str:
    await asyncio.sleep(seconds)
    return answer


def test_answers_are_returned_in_the_order_of_their_requests() -> None:
    async def run() -> list[str | None]:
        with OrderedWindow[str]() as window:
            window.ask(_after(0.05, "slow"))
            window.skip()
            window.ask(_after(0.0, "quick"))
            assert (len(window), window.pending) == (3, 2)
            taken = []
            while window:
                assert await window.arrives(lambda: True)
                taken.append(window.take())
            assert window.pending == 0
            return taken

    assert asyncio.run(run()) == ["slow", None, "quick"]


def test_if_a_caller_stops_waiting_for_running_calls_they_are_cancelled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "WAKE_SECONDS", 0.001)
    dropped = []

    async def hangs() -> str:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            dropped.append("hangs")
            raise
        return ""

    async def run() -> int:
        asked = 0

        def go_on() -> bool:
            nonlocal asked
            asked += 1
            return asked < 4

        with OrderedWindow[str]() as window:
            window.ask(hangs())
            assert not await window.arrives(go_on)
        await asyncio.sleep(0)
        return asked

    assert asyncio.run(run()) == 4
    assert dropped == ["hangs"]


def test_an_exception_of_a_call_is_raised_when_its_answer_is_read() -> None:
    async def breaks() -> str:
        raise ValueError("broken")

    async def run() -> None:
        with OrderedWindow[str]() as window:
            window.ask(breaks())
            assert await window.arrives(lambda: True)
            with pytest.raises(ValueError, match="broken"):
                window.take()

    asyncio.run(run())
