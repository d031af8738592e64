"""The scripts of a page: how many run, and where one that only forwards leads."""

import pytest

from chalicelib.domain.page.rendered import is_shell
from tests.domain.page.reading import page, read

TARGET = "https://demo.test/en/"


def script(text: str) -> str:
    return page(body=f"<script>{text}</script>")


def test_executable_scripts_are_counted_and_data_blocks_are_not() -> None:
    facts = read(
        page(
            '<script src="/app.js"></script><script type="Module">start()</script><script>go()</script>'
            '<script type="application/ld+json">{}</script><script type="text/template"><p>x</p></script>'
            '<script type="text/javascript; charset=utf-8">go()</script>'
        )
    )
    assert facts.scripts == 4
    assert read(page(body="<p>No scripts</p>")).scripts == 0


@pytest.mark.parametrize(
    "text",
    [
        'location.href = "/en/";',
        "window.location='/en/'",
        "document.location.href='/en/';",
        'if (top) { window.location.replace("/en/"); }',
        "location.assign( '/en/' )",
        "top.location = 'https://demo.test/en/'",
    ],
)
def test_the_target_of_a_redirecting_script_is_read(text: str) -> None:
    assert read(script(text)).script_forward == TARGET


@pytest.mark.parametrize(
    "text",
    [
        "var location = 5",
        "my.location = '/en/'",
        'mylocation.href = "/en/"',
        "location.href = '/en/' + name",
        "if (location.href == '/en/') start()",
        "location.reload()",
        "location.href = ''",
    ],
)
def test_scripts_that_do_not_redirect_have_no_target(text: str) -> None:
    assert read(script(text)).script_forward is None


def test_data_blocks_and_scripts_on_pages_with_links_do_not_redirect() -> None:
    assert read(page(body='<script type="text/template">location="/en/"</script>')).script_forward is None
    links = "".join(f'<a href="/{number}">{number}</a>' for number in range(3))
    assert read(page(body=f'{links}<script>function go() {{ location = "/en/" }}</script>')).script_forward is None


def test_a_page_without_words_and_links_is_an_app_shell() -> None:
    app = '<div id="root"></div><noscript>You need to enable JavaScript.</noscript><script src="/app.js"></script>'
    assert is_shell(read(page(body=app)))
    assert not is_shell(read(page(body=app + "<p>Tents</p>")))
    assert not is_shell(read(page(body=app + '<a href="/a"></a>')))
    assert not is_shell(read(page(body='<div id="root"></div>')))


def test_only_the_beginning_of_a_long_script_is_read() -> None:
    assert read(script("go();" * 100_000 + 'location = "/en/"')).script_forward is None
    assert (
        read(script("window . location . href = " * 100_000 + 'location = "' + "x" * 1_000_000)).script_forward is None
    )
