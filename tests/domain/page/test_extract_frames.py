"""Pages that are shown in a frame beside others: the lists and trees of manuals and help viewers."""

import pytest

from tests.domain.page.reading import page, read

LINKS = "<a href=/a>A</a><a href=/b>B</a><a href=/c>C</a><a href=/d>D</a>"


def aimed(target: str, links: int = 4, others: int = 0) -> str:
    """A page with so many links that open in ``target``, and others that open in their own place."""
    own = "".join(f"<a href=/t{number} target='{target}'>x</a>" for number in range(links))
    return page("", own + "".join(f"<a href=/o{number}>x</a>" for number in range(others)))


@pytest.mark.parametrize("target", ["_parent", "_PARENT", "_top", "content", "classFrame", " right "])
def test_a_page_with_a_base_target_that_names_another_frame_is_frame_content(target: str):
    assert read(page(f"<base target='{target}'>", LINKS)).in_frame


@pytest.mark.parametrize("target", ["_blank", "_self", "", "blank", "newwindow"])
def test_a_page_with_a_base_target_that_opens_a_window_is_not_frame_content(target: str):
    assert not read(page(f"<base target='{target}'>", LINKS)).in_frame


def test_the_first_base_element_with_a_target_is_used():
    assert not read(page("<base href=/x/><base target=_blank><base target=_parent>", LINKS)).in_frame


@pytest.mark.parametrize(
    ("html", "in_frame"),
    [
        (aimed("classFrame"), True),
        (aimed("classFrame", 3, 3), True),
        (aimed("classFrame", 3, 4), False),
        (aimed("classFrame", 2), False),
        (aimed("_blank"), False),
        (aimed("_top"), False),
        (aimed("external"), False),
        (page("", LINKS), False),
        (page("", f"{LINKS}<form target=box></form>"), False),
    ],
)
def test_a_page_is_frame_content_if_half_of_its_links_open_in_a_frame(html: str, in_frame: bool):
    assert read(html).in_frame is in_frame
