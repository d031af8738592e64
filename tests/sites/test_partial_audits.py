"""Audits that read a part of an unchanged website leave its issues and its score as they were."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from chalicelib.settings.reading import forget_settings
from local import demo
from local.demo.serve import Server, start
from local.demo.variants import FAULTY
from tests.servers.wire import WireServer
from tests.sites import auditing
from tests.sites.standing import differences, moves, standing
from tests.workers.audit import websites
from tests.workers.audit.websites import Site, html


@pytest.fixture
def server(store: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    authority = trustme.CA()
    auditing.configure(monkeypatch, authority, tmp_path)
    served = start(FAULTY, tls=authority, host=demo.DEMO_HOST)
    yield served
    served.stop()
    forget_settings()


@pytest.mark.usefixtures("store")
def test_a_partial_audit_requests_only_images_it_already_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    forget_settings()
    paths = [f"/gallery-{number}" for number in range(6)]
    site = Site({"/": html("Galleries of a small website", *paths)})
    for path in paths:  # 360 images, none of them there: 160 are asked for
        images = "".join(f'<img src="{path}/{number}.png" alt="A" width="1" height="1">' for number in range(60))
        site.pages[path] = html(f"Images of {path}", "/", body=images)
    with WireServer(site) as served:
        website = websites.new_website(served)
        websites.audit(website)
        whole = standing(website)
        assert whole.counts["SEO-IMG-004"] == (6, 6)
        for budget in (3, 2, 7):
            websites.audit(website, page_budget=budget)
            found = differences(whole, standing(website))
            assert found == [], "\n".join([str(budget), *found])
    forget_settings()


@pytest.mark.usefixtures("store")
def test_partial_audits_find_broken_images_of_new_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    forget_settings()
    site = Site({})

    def week(first: int) -> None:
        """One gallery leaves and one comes. Images of the galleries 0 to 5 are there, those of later ones are not."""
        paths = [f"/gallery-{number}" for number in range(first, first + 6)]
        site.pages = {"/": html("Galleries of a small website", *paths)}
        for number, path in enumerate(paths, first):
            sources = [f"{path}/{image}.png" for image in range(60)]
            images = "".join(f'<img src="{source}" alt="A" width="1" height="1">' for source in sources)
            site.pages[path] = html(f"Images of {path}", "/", body=images)
            if number < 6:
                site.pages |= dict.fromkeys(sources, ("200 OK", {"content_type": "image/png"}, b"x"))

    week(0)
    with WireServer(site) as served:
        website = websites.new_website(served)
        for number in range(6):
            week(number)
            websites.audit(website, page_budget=6)
            asked = site.asked
            assert any(path.endswith(".png") for path in asked), number
            asked.clear()
        assert "/gallery-6" in websites.found(website, "SEO-IMG-004")
    forget_settings()


def test_partial_audits_of_an_unchanged_website_change_nothing(server: Server) -> None:
    website = auditing.new_website(server.url)
    auditing.audit(website)
    whole = standing(website)
    for budget in (60, 20, auditing.PAGES):
        auditing.audit(website, page_budget=budget)
        found = differences(whole, standing(website))
        assert found == [], "\n".join([str(budget), *found])
        assert moves(website) == [], budget
