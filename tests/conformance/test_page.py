"""The checks of connectors name images and items as the service does."""

import pytest

from chalicelib.domain.page.images import numbered
from conformance.connector import Connector, Wrong
from conformance.page import Pictures
from tests.domain.page.reading import URL, page, read

IMAGES = (
    '<img src="/a.jpg" alt="A">',
    '<img src="a.jpg#part">',
    '<img src="data:image/gif;base64,R0lGOD" data-src="/lazy.jpg" alt="">',
    '<img data-lazy-src="/a.jpg">',
    '<img data-original=" /b.jpg ">',
    '<img srcset="/c-1.jpg 1x, /c-2.jpg 2x">',
    '<img src="" data-srcset="/c-1.jpg, /d.jpg 2x">',
    '<img src="DATA:image/gif;base64,R0lGOD">',
    '<img srcset="data:image/gif;base64,R0lGOD 1x" data-srcset="/e.jpg 1x">',
    "<img>",
    '<noscript><img src="/a.jpg"></noscript><template><img src="/a.jpg"></template><!-- <img src="/a.jpg"> -->',
    '<img src="/a.jpg" src="/b.jpg">',
)


def test_the_conformance_checks_number_images_as_the_service_does() -> None:
    expected = {one.key: one.image.alt for one in numbered(read(page(body="".join(IMAGES))).images)}
    assert len(expected) == 8
    assert Pictures(page(body="".join(IMAGES)), URL).alts == expected


def test_the_error_names_the_item_that_is_no_longer_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    connector = Connector("http://127.0.0.1:9", "", "post:17")
    monkeypatch.setattr(connector, "all_items", list)
    with pytest.raises(Wrong, match=r"^The item post:17 is no longer listed\.$"):
        connector.own()
