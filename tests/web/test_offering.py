"""Which rows a form asks about: changed, not ticked, and not asked about before."""

import pytest

from chalicelib.web.forms import Form
from chalicelib.web.offering import hashed, left_out


@pytest.mark.parametrize(
    ("offered", "typed", "asks"),
    [
        ("Boots", "Boots", False),
        ("Boots", " Boots ", False),
        ("Boots\nand more", "Bootsand more", False),  # a one-line field removes line breaks
        ("Boots\nand more", "Boots\r\nand more", False),
        ("false", "false", False),
        (None, "", False),
        ("Boots", "", False),
        ("Boots", "Shoes", True),
        (None, "Shoes", True),
    ],
)
def test_a_form_asks_whether_rows_that_were_changed_should_be_included(
    offered: str | None, typed: str, asks: bool
) -> None:
    form = Form({"offered-a": [hashed(offered)]}, b"")
    assert left_out(form, {"a": typed}, frozenset()) == ({"a"} if asks else set())
    assert not left_out(form, {"a": typed}, frozenset({"a"}))
    assert not left_out(Form({}, b""), {"a": typed}, frozenset())
