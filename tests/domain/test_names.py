"""Names are sorted as people expect."""

import unicodedata

from chalicelib.domain.names import sort_key


def test_sorting_ignores_accents_and_letter_case() -> None:
    names = ["Zebra", "Ähre", "apfel", "Éclair", "Óscar", "Øre", "Łódź", "lupe", "Straße", "Strasse", "z"]
    expected = ["Ähre", "apfel", "Éclair", "Łódź", "lupe", "Øre", "Óscar", "Strasse", "Straße", "z", "Zebra"]
    assert sorted(names, key=sort_key) == expected


def test_composed_and_decomposed_letters_sort_equally() -> None:
    composed = "Ähre"
    assert sort_key(composed)[0] == sort_key(unicodedata.normalize("NFD", composed))[0] == "ahre"


def test_names_with_and_without_accents_are_sorted_together() -> None:
    assert sort_key("Acme & Söhne")[0].startswith(sort_key("ACME & s")[0])
    assert sort_key("ACME 24") == ("acme 24", "ACME 24")


def test_names_that_differ_only_in_case_sort_by_code_point() -> None:
    assert sorted(["acme", "Acme", "ACME"], key=sort_key) == ["ACME", "Acme", "acme"]
