"""Names are sorted as people expect."""

import unicodedata

from chalicelib.domain.names import sort_key


def test_accents_and_letter_case_do_not_move_a_name() -> None:
    names = ["Zebra", "Ähre", "apfel", "Éclair", "Óscar", "Øre", "Łódź", "lupe", "Straße", "Strasse", "z"]
    expected = ["Ähre", "apfel", "Éclair", "Łódź", "lupe", "Øre", "Óscar", "Strasse", "Straße", "z", "Zebra"]
    assert sorted(names, key=sort_key) == expected


def test_both_normal_forms_sort_to_the_same_place() -> None:
    composed = "Ähre"
    assert sort_key(composed)[0] == sort_key(unicodedata.normalize("NFD", composed))[0] == "ahre"


def test_a_name_of_plain_letters_has_its_place_among_the_others() -> None:
    assert sort_key("Acme & Söhne")[0].startswith(sort_key("ACME & s")[0])
    assert sort_key("ACME 24") == ("acme 24", "ACME 24")


def test_names_that_differ_only_in_case_are_in_the_order_of_code_points() -> None:
    assert sorted(["acme", "Acme", "ACME"], key=sort_key) == ["ACME", "Acme", "acme"]
