"""What the stand-in of a CMS sends of itself: everything once it is paired, in portions, and again where it must."""

from collections.abc import Iterator

import pytest

from chalicelib.settings.reading import forget_settings
from local.serving import Answer, Request, Service
from local.standins.cms import Cms, ListSite
from local.standins.content import PORTION, ContentQueue, Pairing
from tests.connectors.protocol import HttpCms

SECONDS = 60.0
SECRET = "wos_cn_" + "1" * 64
KEY = "wos_site_" + "k" * 38


class Api(Service):
    """The service: takes content, or answers with the next of ``refusals``."""

    name = "api"
    methods = ("PUT",)

    def __init__(self) -> None:
        self.refusals: list[int] = []
        self.taken: list[list[str]] = []  # the ids of each portion
        self.asked: list[tuple[str, str | None]] = []  # path and key
        super().__init__()
        self.url += "/api/v1"

    def respond(self, request: Request) -> Answer:
        body = request.json()
        self.asked.append((request.path, request.headers["Authorization"]))
        if self.refusals:
            return self.json_answer(self.refusals.pop(0), {"error": {"message": "Not now."}})
        self.taken.append([item["cmsId"] for item in body["items"]])
        return self.json_answer(202, {"accepted": len(body["items"])})


@pytest.fixture
def api() -> Iterator[Api]:
    found = Api()
    yield found
    found.stop()


def paired(api: Api, count: int, queue: ContentQueue, monkeypatch: pytest.MonkeyPatch) -> Cms:
    """A CMS with so many pages that was just paired, twice with the same code: an answer may be lost."""
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    forget_settings()
    cms = Cms(ListSite(count), queue)
    code = cms.code()
    for _ in range(2):
        HttpCms(cms.address, SECRET).pair(code, "site_1", api.url, KEY)
    return cms


@pytest.fixture(autouse=True)
def settings() -> Iterator[None]:
    yield
    forget_settings()


def test_the_stand_in_sends_all_content_once_in_portions(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    queue = ContentQueue(after=0.0)
    cms = paired(api, 2 * PORTION + 3, queue, monkeypatch)
    try:
        assert queue.sent.wait(SECONDS)
    finally:
        queue.stop()
        cms.stop()
    assert [len(portion) for portion in api.taken] == [PORTION, PORTION, 3]
    assert sorted(item for portion in api.taken for item in portion) == sorted(cms.site.entries())
    assert set(api.asked) == {("/api/v1/sites/site_1/content", f"Bearer {KEY}")}


def test_content_is_sent_again_after_a_temporary_refusal(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    api.refusals = [503, 429]
    queue = ContentQueue(after=0.0, waits=(0.0, 0.0))
    cms = paired(api, 2, queue, monkeypatch)
    try:
        assert queue.sent.wait(SECONDS) and queue.trouble is None
    finally:
        queue.stop()
        cms.stop()
    assert len(api.asked) == 3 and api.taken == [["page:1", "page:2"]]


@pytest.mark.parametrize(("refusals", "asked"), [([401], 1), ([500, 500], 2)])
def test_content_is_reported_and_dropped_after_a_permanent_refusal(api: Api, refusals: list[int], asked: int) -> None:
    api.refusals = refusals
    queue = ContentQueue(after=0.0, waits=(0.0,))
    cms = Cms(ListSite(1))
    try:
        queue._run(Pairing("site_1", api.url, KEY, SECRET), cms.items)
    finally:
        cms.stop()
    assert len(api.asked) == asked and not queue.sent.is_set() and queue.trouble == "Not now."


def test_if_the_service_is_unreachable_the_stand_in_reports_it_and_does_not_fail(api: Api) -> None:
    api.stop()
    queue = ContentQueue(after=0.0, waits=())
    cms = Cms(ListSite(1))
    try:
        queue._run(Pairing("site_1", api.url, KEY, SECRET), cms.items)
    finally:
        cms.stop()
    assert queue.trouble is not None and "did not answer" in queue.trouble and KEY not in queue.trouble


def test_a_stopped_stand_in_sends_no_content(api: Api) -> None:
    queue = ContentQueue(after=0.0)
    queue.stop()
    queue._run(Pairing("site_1", api.url, KEY, SECRET), list)
    assert api.asked == []
