"""What the entries of a page's list are called: tables of contents, glossaries, folders; never a menu."""

from tests.domain.page.reading import page, read

NAMES = ["Choosing a place", "Laying out the groundsheet", "Raising the poles"]


def entries(names: list[str], tag: str = "li") -> str:
    return "".join(f"<{tag}><a href='/{at}'>{name}</a></{tag}>" for at, name in enumerate(names))


def listed(body: str) -> list[str]:
    return read(page(body=f"<h1>Pitching tents</h1>{body}")).listed


def test_link_names_of_a_list_are_read_in_order() -> None:
    assert listed(f"<ul>{entries(NAMES)}</ul>") == NAMES
    assert listed(f"<dl class=toc>{entries(NAMES, 'dt')}</dl>") == NAMES
    numbered = "".join(f"<li>{at}. <a href='/{at}'>{name}</a>: more of it" for at, name in enumerate(NAMES, 1))
    assert listed(f"<ol>{numbered}</ol>") == NAMES
    assert listed(f"<ul><li><a href='/m'>Poles &amp; <code>pegs</code></a></li>{entries(NAMES[:2])}</ul>")[0] == (
        "Poles & pegs"
    )


def test_menus_and_nested_lists_are_not_content_lists() -> None:
    for name in ("nav", "main-menu", "docnav top", "breadcrumb", "sidebar", "footer-links", "lang-list"):
        assert listed(f"<ul class='{name}'>{entries(NAMES)}</ul>") == []
        assert listed(f"<div id='{name}'><ul>{entries(NAMES)}</ul></div>") == []
    assert listed(f"<nav><ul>{entries(NAMES)}</ul></nav>") == []
    nested = f"<ul><li><a href='/a'>Tents</a><ul>{entries(NAMES)}</ul></li></ul>"
    assert listed(nested) == []
    assert listed(f"<ul class=menu>{entries(['Home', 'Shop', 'Help'])}</ul><ul>{entries(NAMES)}</ul>") == NAMES


def test_a_list_entry_whose_link_is_inside_a_sentence_has_no_name() -> None:
    told = "".join(f"<li>Ask the people of <a href='/{at}'>{name}</a></li>" for at, name in enumerate(NAMES))
    assert listed(f"<ul>{told}</ul>") == []
    assert listed(f"<ul>{entries(NAMES[:2])}</ul>") == []  # too few
    assert listed(f"<ul>{entries(['n' * 101] * 5)}</ul>") == []


def test_a_list_on_a_page_with_much_text_is_ignored() -> None:
    text = "<p>Our tents for the winter are sewn by hand in the old mill.</p>"
    assert listed(f"{text * 2}<ul>{entries(NAMES)}</ul>") == NAMES
    assert listed(f"{text * 3}<ul>{entries(NAMES)}</ul>") == []


def test_only_the_first_list_entries_are_kept_and_addresses_are_masked() -> None:
    assert listed(f"<ul>{entries([f'Tent {at}' for at in range(10_000)])}</ul>") == [f"Tent {at}" for at in range(12)]
    assert listed(f"<ul>{entries([f'Ask a{at}@tents.example' for at in range(3)])}</ul>") == ["Ask a***@***"] * 3
