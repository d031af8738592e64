"""Looking at a live page: what is read of its answers, and when a second one need not be."""

import asyncio

import pytest

from chalicelib.domain.changes.batch import Change, ChangeOutcome
from chalicelib.domain.page.facts import PageFacts
from chalicelib.net.fetch import Answer
from chalicelib.workers.audit import page_process
from chalicelib.workers.writing import reading
from chalicelib.workers.writing.live import of_page

URL = "https://shop.example/tents/"
HTML = b'<title>Tents</title><link rel="canonical" href="/tents/"><body><a href="/stoves/">Stoves</a>'


def answer(body: bytes = HTML, status: int = 200, **headers: str) -> Answer:
    named = {"content-type": "text/html", **{name.replace("_", "-"): value for name, value in headers.items()}}
    return Answer(URL, status=status, headers=named, body=body)


def read(*answers: Answer, monkeypatch: pytest.MonkeyPatch) -> tuple[list[PageFacts], int]:
    """The facts of each, read one after the other, and how many were parsed."""
    parsed = []

    def counting(*given: object, **named: object) -> None:
        parsed.append(given)
        real(*given, **named)  # type: ignore[arg-type]

    real = page_process.read_head
    monkeypatch.setattr(page_process, "read_head", counting)
    heads = reading._Heads(whole=False)

    async def all_of_them() -> list[PageFacts]:
        return [await heads.read(URL, one, "shop.example") for one in answers]

    return asyncio.run(all_of_them()), len(parsed)


def test_the_answer_to_the_second_request_is_parsed_only_if_it_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    found, parsed = read(answer(), answer(server="another"), monkeypatch=monkeypatch)
    assert parsed == 1
    assert [page.title for page in found] == ["Tents", "Tents"]
    assert found[0].canonicals == [("/tents/", URL, "html")]
    assert found[0].links == []  # nothing else is read


@pytest.mark.parametrize(
    "other",
    [
        answer(HTML.replace(b"Tents<", b"Stoves<")),
        answer(x_robots_tag="noindex"),
        answer(link='</other/>; rel="canonical"'),
        answer(content_type="text/html; charset=iso-8859-2"),
    ],
)
def test_a_different_second_answer_is_parsed(other: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(answer(), other, monkeypatch=monkeypatch)[1] == 2


def test_an_error_status_is_a_failure_even_if_the_body_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    (_, failed), _ = read(answer(), answer(status=503), monkeypatch=monkeypatch)
    assert failed.status == 503 and failed.title is None
    broken = answer()
    broken.error = "reset"
    (_, off), _ = read(answer(), broken, monkeypatch=monkeypatch)
    assert off.status == 0


@pytest.mark.parametrize("body", [b"", b" \n"])
def test_an_empty_answer_does_not_show_that_a_value_was_removed(body: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    removal = Change(number=0, url=URL, cms_id="page:1", field="title", value="", outcome=ChangeOutcome(before="Tents"))
    (empty, other), _ = read(answer(body), answer(b"<title>Other</title>"), monkeypatch=monkeypatch)
    found = of_page(empty, removal, ())
    assert (found.live, found.reason) == (False, "The answer of the address could not be read as a page.")
    assert of_page(other, removal, ()).live


def test_the_live_reader_cannot_read_the_private_network() -> None:
    async def look() -> Answer:
        async with reading._fetcher() as fetcher:
            return await fetcher.get("http://127.0.0.1:8080/")

    answer = asyncio.run(look())
    assert (answer.status, answer.error) == (0, "refused_address")
