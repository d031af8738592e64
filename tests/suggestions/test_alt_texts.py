"""Alternative texts are suggested only where the page says what an image shows."""

import json

import pytest

from chalicelib.rules.img.seo_img_001_alt_missing import lacks_alt
from chalicelib.suggestions.alt_texts import LONGEST, AltText, of_page
from tests.domain.page.reading import read

FOX = "A red fox sleeps in the snow beside a fence"


def suggested(body: str, head: str = "", lang: str = "en") -> list[AltText | None]:
    """The suggestions for the images of a page that lack a text."""
    facts = read(f'<html lang="{lang}"><head>{head}</head><body><h1>Animals</h1>{body}</body></html>')
    return of_page(facts, [image for image in facts.images if lacks_alt(image)])


def figure(caption: str, src: str = "/fox.jpg") -> str:
    return f'<figure><img src="{src}"><figcaption>{caption}</figcaption></figure>'


@pytest.mark.parametrize(
    ("caption", "text"),
    [
        (FOX, FOX),
        (f"  {FOX}. ", f"{FOX}."),
        (f"Figure 3: {FOX}", FOX),
        (f"Fig. 2.1 – {FOX}", FOX),
        (f"{FOX}. Photo: Jane Doe", f"{FOX}."),
        (f"{FOX} (Foto: dpa)", FOX),
        (f"{FOX} | © Reuters", FOX),
        (f"<b>{FOX}</b> <i>today</i>", f"{FOX} today"),
        ("Market square of Gdańsk, 1945", "Market square of Gdańsk, 1945"),
        ("雪の中で眠る狐", "雪の中で眠る狐"),
        ("Photographers on the beach at night", "Photographers on the beach at night"),
    ],
)
def test_a_suggested_caption_omits_the_number_and_the_credit(caption: str, text: str) -> None:
    assert suggested(figure(caption), lang="") == [AltText(text, "caption")]


@pytest.mark.parametrize(
    "caption",
    [
        *("", " ", "…", "-", "1", "Figure 3", "Abb. 2:", "Photo 4", "image", "Untitled"),
        *("Photo: Jane Doe", "© 2024 Jane Doe", "Foto: dpa", "Photo by Jane Doe on Unsplash", "Bild: Getty", "(c) AFP"),
        *("12 March 2024", "2024-03-12", "12.03.2024", "March 2024", "Paris, 2019", "12. März 2024"),
        *("IMG_2041.jpg", "DSC00042", "red-fox-in-snow.png"),
        *(
            "&lt;b&gt;Fox&lt;/b&gt; in the snow",
            "[caption id=1]A fox[/caption]",
            "{{ title }}",
            f"{FOX} …",
            f"{FOX}...",
            "See https://a.example",
        ),
        *(f"Write to jane@fox.example about {FOX}", "Ein roter Fuchs schläft im Schnee und der Hund ist nicht da"),
        *("A fox \u202ein the snow", "x" * (LONGEST + 1), f"{FOX} " * 250),
    ],
)
def test_a_caption_that_does_not_describe_the_image_is_not_suggested(caption: str) -> None:
    assert suggested(figure(caption)) == [None]


def test_one_caption_for_several_images_is_not_suggested() -> None:
    several = f'<figure><img src="/a.jpg"><img src="/b.jpg"><figcaption>{FOX}</figcaption></figure>'
    assert suggested(several) == [None, None]
    assert suggested(figure(FOX, "/a.jpg") + figure(FOX, "/b.jpg")) == [None, None]
    twice = [AltText(FOX, "caption")] * 2
    assert suggested(figure(FOX, "/a-300x200.jpg") + figure(FOX, "/a.jpg?v=2")) == twice  # one picture in two sizes
    assert suggested(figure(FOX, "/a.jpg") + f'<img src="/b.jpg" alt="{FOX}">') == [None]


def test_no_alt_text_is_suggested_if_a_figure_has_two_captions_or_a_hidden_one() -> None:
    for captions in (
        f"<figcaption>{FOX}</figcaption><figcaption>B</figcaption>",
        f"<figcaption hidden>{FOX}</figcaption>",
    ):
        assert suggested(f'<figure><img src="/a.jpg">{captions}</figure>') == [None]


def product(*names: str, image: object = "/boot-600x600.jpg") -> str:
    things = [{"@type": "Product", "name": name, "image": image, "offers": {}} for name in names]
    return "".join(f'<script type="application/ld+json">{json.dumps(one)}</script>' for one in things)


@pytest.mark.parametrize(
    "image", ["/boot-600x600.jpg", ["/side.jpg", "/boot.jpg?width=800"], {"@type": "ImageObject", "url": "/boot.jpg"}]
)
def test_the_product_name_of_the_page_is_suggested_for_its_image(image: object) -> None:
    found = suggested('<img src="/boot.jpg"><img src="/other.jpg">', product("Hiking boot Alpina", image=image))
    assert found == [AltText("Hiking boot Alpina", "product"), None]


def test_a_product_name_is_suggested_only_for_its_first_image() -> None:
    images = '<img src="/boot.jpg"><img src="/side.jpg">'
    head = product("Hiking boot Alpina", image=["/boot.jpg", "/side.jpg"])
    assert suggested(images, head) == [AltText("Hiking boot Alpina", "product"), None]
    assert suggested(images, product("Hiking boot Alpina", "Winter boot")) == [None, None]
    assert suggested(images, product("", image=[{}, 1, None, "x" * 5_000])) == [None, None]


def test_a_logo_does_not_get_the_text_of_a_menu_link_to_the_home_page() -> None:
    assert suggested('<nav><a href="/">Association</a></nav><a href="/"><img src="/logo.svg"></a>') == [None]


def test_a_linked_image_gets_the_text_of_another_link_to_its_target() -> None:
    card = '<a href="/boots"><img src="/b.jpg"></a>'
    assert suggested(card + '<h2><a href="/boots">All hiking boots</a></h2>') == [AltText("All hiking boots", "link")]
    for words in ("Read more", "Menu", "»", "", "boots.jpg"):
        assert suggested(card + f'<h2><a href="/boots">{words}</a></h2>') == [None]
    two = card + '<a href="/boots"><img src="/c.jpg"></a><a href="/boots">All hiking boots</a>'
    assert suggested(two) == [None, None]
