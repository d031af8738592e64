"""The committed documents are those that the code makes."""

from tests.contract import copies

HOW = "write them anew: .venv/bin/python -m tests.contract.copies"


def test_the_committed_description_is_the_one_that_is_served() -> None:
    assert copies.OPENAPI.read_text("utf-8") == copies.openapi(), HOW


def test_the_guides_tables_are_those_of_the_code() -> None:
    assert copies.GUIDE.read_text("utf-8") == copies.guide(), HOW
