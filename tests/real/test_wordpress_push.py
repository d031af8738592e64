"""What the WordPress plugin tells the service: when, what, and again when it was not taken."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from chalicelib.api.shapes.content import PostAlert, PutContent
from chalicelib.connectors.cms import HttpCms
from chalicelib.domain.connector import signature
from chalicelib.http import bodies
from chalicelib.randomness import random_bytes
from chalicelib.settings.reading import forget_settings
from local.serving import Answer, Request, Service
from tests.connectors import protocol
from tests.real.wordpress import WordPress, started
from tests.real.wordpress_subject import PLUGIN, Subject

pytestmark = pytest.mark.real

KEY = "wos_site_a-key-of-the-website"
READ_AS = {"content": PutContent, "alerts": PostAlert}  # what the API reads each body as


class Told(NamedTuple):
    """One request that the service got."""

    method: str
    path: str
    key: str | None
    body: dict[str, Any]


class Api(Service):
    """The public API as far as a connector calls it. ``status`` is what it answers."""

    name = "api"
    methods = ("POST", "PUT")

    def __init__(self) -> None:
        self.told: list[Told] = []
        self.status = 202
        self.headers: dict[str, str] = {}
        super().__init__()
        self.url += "/api/v1"

    def respond(self, request: Request) -> Answer:
        self.told.append(Told(request.method, request.path, request.headers["Authorization"], request.json()))
        refused = {"error": {"code": "x", "message": "Later."}}
        return self.json_answer(self.status, {"accepted": 1} if self.status == 202 else refused, self.headers)


class Shop(NamedTuple):
    """A paired website, and the service that it tells."""

    site: WordPress
    service: Api
    cms: HttpCms
    first: list[Told]  # what was told after the pairing


@pytest.fixture(scope="module")
def paired() -> Iterator[Shop]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
        forget_settings()
        service = Api()
        with started() as site:
            site.seed(4)
            site.activate(PLUGIN)
            subject = Subject(site, "home", site.url)
            cms = HttpCms(subject.address, signature.make_secret(random_bytes(32)))
            cms.pair(subject.code(), "site_7", service.url, KEY)
            site.run("do_action('wos_push');")
            first = list(service.told)
            yield Shop(site, service, cms, first)
            assert site.complaints() == []
        service.stop()
    forget_settings()


@pytest.fixture
def shop(paired: Shop) -> Shop:
    """Everything that there is was told, and nothing waits."""
    paired.service.status = 202
    paired.site.run("do_action('wos_push');")
    paired.service.told.clear()
    return paired


def post(shop: Shop, number: int = 1) -> dict[str, Any]:
    (found,) = shop.site.rest("GET", f"/wp/v2/posts?slug=widget-guide-{number}&status=any")
    return dict(found)


def save(shop: Shop, item: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return dict(shop.site.rest("POST", f"/wp/v2/posts/{item['id']}", fields))


def tell(shop: Shop) -> list[Told]:
    """Runs the job as WordPress's own clock does when its time has come; what was told, which the API would read."""
    shop.service.told.clear()
    shop.site.run("wp_clear_scheduled_hook('wos_push'); wp_schedule_single_event(time() - 1, 'wos_push');")
    shop.site.run_cron()
    for one in shop.service.told:
        bodies.read(READ_AS[one.path.rpartition("/")[2]], json.dumps(one.body).encode(), {}, required=True)
    return list(shop.service.told)


def test_all_content_is_sent_once_after_pairing(shop: Shop) -> None:
    (content,) = shop.first
    assert (content.method, content.path) == ("PUT", "/api/v1/sites/site_7/content")
    told = {item["cmsId"]: item["url"] for item in content.body["items"]}
    assert told["home"] == f"{shop.site.url}/" and len(told) >= 1 + 4 + 2 + 1, (
        "front page, seeded, WordPress's own, term"
    )
    assert tell(shop) == []


def test_content_that_was_refused_permanently_does_not_delay_other_messages(shop: Shop) -> None:
    save(shop, post(shop), content="Words that are refused for good")
    shop.service.status = 400
    assert [told.method for told in tell(shop)] == ["PUT", "POST"]
    assert shop.site.run("echo json_encode(get_option('wos_problem')['text']);") == "The service answered 400. Later."
    shop.service.status = 202
    assert tell(shop) == []


def test_a_save_is_sent_once_and_in_the_background(shop: Shop) -> None:
    item = post(shop)
    save(shop, item, content="Other words")
    save(shop, item, excerpt="And another summary", title="Tents & tarps")
    assert shop.service.told == [], "no editor waits for the service"
    due = shop.site.run("echo json_encode(wp_next_scheduled('wos_push') - time());")
    assert 0 < due <= 15
    content, alert = tell(shop)
    assert (content.method, content.path, content.key) == ("PUT", "/api/v1/sites/site_7/content", f"Bearer {KEY}")
    (told,) = content.body["items"]
    assert (told["cmsId"], told["url"], told["title"]) == (f"post:{item['id']}", item["link"], "Tents & tarps")
    assert told["status"] == "published" and told["modifiedAt"].endswith("Z")
    assert (alert.method, alert.path, alert.key) == ("POST", "/api/v1/sites/site_7/alerts", f"Bearer {KEY}")
    assert alert.body["kind"] == "content_changed" and alert.body["urls"] == [item["link"]]
    assert tell(shop) == []


def test_an_unchanged_item_is_not_sent(shop: Shop) -> None:
    item = post(shop)
    save(shop, item, content=item["content"]["rendered"])
    tell(shop)
    save(shop, item, content=item["content"]["rendered"])
    assert tell(shop) == []
    shop.site.rest("POST", "/wp/v2/posts", {"title": "Not yet", "status": "draft"})
    assert tell(shop) == []


def test_values_written_by_the_service_are_not_sent_back_to_it(shop: Shop) -> None:
    item = post(shop, 2)
    subject = Subject(shop.site, f"post:{item['id']}", item["link"])
    shop.cms.change(protocol.change(subject, "title", "From the service"))
    assert tell(shop) == [] and subject.shown("title") == "From the service"
    save(shop, item, title="From an editor")
    (content, _) = tell(shop)
    assert content.body["items"][0]["fields"]["title"] == "From the service"


def test_a_moved_or_unpublished_page_is_sent_with_its_old_address(shop: Shop) -> None:
    item = post(shop, 2)
    moved = save(shop, item, slug="another-guide")
    _, alert = tell(shop)
    assert set(alert.body["urls"]) == {item["link"], moved["link"]}
    shop.site.rest("DELETE", f"/wp/v2/posts/{item['id']}")
    content, alert = tell(shop)
    (gone,) = content.body["items"]
    assert (gone["cmsId"], gone["url"], gone["deleted"]) == (f"post:{item['id']}", moved["link"], True)
    assert gone["title"] and gone["type"] == "post" and gone["modifiedAt"] > item["modified_gmt"]
    assert alert.body["urls"] == [moved["link"]]
    assert tell(shop) == []


def test_changes_of_terms_plugins_and_settings_are_sent(shop: Shop) -> None:
    term = shop.site.rest("POST", "/wp/v2/categories", {"name": "Stoves"})
    content, _ = tell(shop)
    assert content.body["items"][0]["cmsId"] == f"term:{term['id']}"
    other = PLUGIN.parents[2] / "tests" / "real" / "plugins" / "page-cache.php"
    shop.site.activate(other)
    shop.site.uninstall(other.name)
    shop.site.use_theme("twentytwentythree")
    assert sorted(one.body["kind"] for one in tell(shop)) == ["plugin_changed", "settings_changed"]


def test_content_is_retried_until_the_service_accepts_it(shop: Shop) -> None:
    item = post(shop)
    save(shop, item, content="Words that the service does not take")
    shop.service.status = 503
    for wait in (60, 300, 900, 3600, 3600):
        assert [told.method for told in tell(shop)] == ["PUT"]
        due = shop.site.run("echo json_encode(wp_next_scheduled('wos_push') - time());")
        assert wait - 30 < due <= wait
    problem = shop.site.run("echo json_encode(get_option('wos_problem')['text']);")
    assert problem == "The service answered 503. Later."
    shop.service.status = 202
    assert [told.method for told in tell(shop)] == ["PUT", "POST"]
    assert shop.site.run("echo json_encode(get_option('wos_problem'));") is False
    assert shop.site.run("echo json_encode(wp_next_scheduled('wos_push'));") is False


@pytest.mark.parametrize(
    ("named", "wait"), [("7200", 7_200), ("5", 60), ("99999999", 86_400), ("Wed, 21 Oct 2099 07:28:00 GMT", 60)]
)
def test_content_is_retried_after_the_time_that_the_service_names(shop: Shop, named: str, wait: int) -> None:
    save(shop, post(shop), content=f"Words for a service that asks to wait {named}")
    shop.service.status, shop.service.headers = 429, {"Retry-After": named}
    try:
        assert [told.method for told in tell(shop)] == ["PUT"]
    finally:
        shop.service.headers = {}
    due = shop.site.run("echo json_encode(wp_next_scheduled('wos_push') - time());")
    assert wait - 30 < due <= wait


def test_many_items_are_sent_in_several_requests(shop: Shop) -> None:
    shop.site.run(
        "for ($i = 0; $i < 130; $i++) { wp_insert_post(['post_title' => \"Bulk $i\", 'post_status' => 'publish']); }"
    )
    told = tell(shop)
    sizes = [len(one.body["items"]) for one in told if one.method == "PUT"]
    assert sum(sizes) == 130 and max(sizes) <= 100
    assert sum(len(one.body["urls"]) for one in told if one.method == "POST") == 130


def test_after_disconnecting_nothing_is_sent(shop: Shop) -> None:
    saved = shop.site.run("echo json_encode(get_option('wos_connection'));")
    shop.site.run("Wos\\Connection::disconnect();")
    try:
        save(shop, post(shop), content="Nobody is told of this")
        assert shop.site.run("echo json_encode(wp_next_scheduled('wos_push'));") is False
        assert tell(shop) == []
    finally:
        code = "update_option('wos_connection', json_decode(getenv('SAVED'), true), false);"
        shop.site.run(code, SAVED=json.dumps(saved))
