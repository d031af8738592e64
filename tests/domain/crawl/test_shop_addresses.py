"""Which file of a shop an image's address names, and which paths a shop answers itself."""

import pytest

from chalicelib.domain.crawl import shop_addresses
from chalicelib.domain.crawl.shop_addresses import NOT_A_FILE, Named, fixed, named, same_file

HOST = "shop.example"
OWN = "https://shop.example/cdn/shop/files/"
CDN = "https://cdn.shopify.com/s/files/1/0001/0002/"


@pytest.mark.parametrize(
    ("address", "folder", "names"),
    [
        (f"{OWN}fox.jpg", "files", ("fox.jpg",)),
        (f"{OWN}fox.jpg?v=1&width=600", "files", ("fox.jpg",)),
        ("https://www.shop.example/cdn/shop/products/fox.jpg", "products", ("fox.jpg",)),
        (f"{CDN}products/fox.jpg?v=2", "products", ("fox.jpg",)),
        (f"{OWN}fox_600x.jpg", "files", ("fox_600x.jpg", "fox.jpg")),
        (
            f"{OWN}fox_x600_crop_center@2x.progressive.jpg",
            "files",
            ("fox_x600_crop_center@2x.progressive.jpg", "fox.jpg"),
        ),
        (f"{OWN}fox_large.png", "files", ("fox_large.png", "fox.png")),
        (f"{OWN}fox_larger.png", "files", ("fox_larger.png",)),
        (f"{OWN}Fox%20in%20snow.jpg", "files", ("Fox in snow.jpg",)),
        (f"{OWN}f%22o%5Cx.jpg", "files", ('f"o\\x.jpg',)),
    ],
)
def test_image_addresses_of_a_shop_are_mapped_to_files(address: str, folder: str, names: tuple[str, ...]) -> None:
    found = named(address, HOST)
    assert isinstance(found, Named) and (found.folder, found.names) == (folder, names)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("https://shop.example/images/fox.jpg", NOT_A_FILE),
        ("https://elsewhere.example/cdn/shop/files/fox.jpg", NOT_A_FILE),
        ("https://cdn.shopify.com.evil.example/s/files/1/1/files/fox.jpg", NOT_A_FILE),
        ("https://cdn.shopify.com/shopifycloud/fox.jpg", NOT_A_FILE),
        ("https://shop.example/cdn/shop/t/3/assets/fox.jpg", "part of the theme"),
        (f"{CDN}t/3/assets/fox.jpg", "part of the theme"),
        ("https://shop.example/cdn/shop/collections/fox.jpg", "belongs to a collection"),
        ("https://shop.example/cdn/shop/articles/fox.jpg", "belongs to a blog post"),
        ("https://shop.example/cdn/shop/unknown/fox.jpg", NOT_A_FILE),
        (f"{OWN}fox%0A.jpg", NOT_A_FILE),
        ("data:image/png;base64,AA", NOT_A_FILE),
        ("https://[", NOT_A_FILE),
        ("", NOT_A_FILE),
    ],
)
def test_images_outside_the_files_of_a_shop_are_refused_with_a_reason(address: str, said: str) -> None:
    found = named(address, HOST)
    assert isinstance(found, str) and said in found


@pytest.mark.parametrize(
    ("asked", "url", "is_it"),
    [
        (f"{OWN}fox.jpg", f"{CDN}files/fox.jpg?v=9", True),
        (f"{OWN}fox_600x.jpg", f"{CDN}files/fox.jpg", True),
        (f"{OWN}fox_600x.jpg", f"{CDN}files/fox_600x.jpg", True),
        (f"{OWN}fox.jpg", f"{CDN}files/fox_600x.jpg", False),
        (f"{OWN}fox.jpg", f"{CDN}files/Fox.jpg", False),
        (f"{OWN}fox.jpg", f"{CDN}products/fox.jpg", False),
        (f"{CDN}files/fox.jpg", f"{CDN}files/fox.jpg", True),
        (f"{CDN}files/fox.jpg", "https://cdn.shopify.com/s/files/1/0009/0009/files/fox.jpg", False),
        (f"{OWN}fox.jpg", "https://elsewhere.example/files/fox.jpg", False),
        (f"{OWN}fox.jpg", "https://[", False),
    ],
)
def test_a_file_is_found_in_the_shop_only_by_its_full_name(asked: str, url: str, is_it: bool) -> None:
    found = named(asked, HOST)
    assert isinstance(found, Named) and found.is_of(url) is is_it


def test_special_characters_of_a_file_name_are_escaped_in_the_search() -> None:
    found = named(f"{OWN}x%22%20OR%20status%3AREADY%5C.jpg", HOST)
    assert isinstance(found, Named) and found.query == 'filename:"x\\" OR status:READY\\\\.jpg"'


def test_different_sizes_of_an_image_are_the_same_file() -> None:
    sizes = {same_file(f"{OWN}{name}", HOST) for name in ("fox.jpg", "fox_600x.jpg?v=2", "fox.jpg?width=9")}
    assert len(sizes) == 1
    assert same_file("https://shop.example/a.jpg", HOST) != same_file("https://shop.example/b.jpg", HOST)


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("/cart", "/cart"),
        ("/Cart/x?y=1", "/cart"),
        ("/shop/tents", "/shop"),
        ("/products", "/products"),
        ("/products/", "/products"),
        ("/products/fox", None),
        ("/collections/all", "/collections/all"),
        ("/collections/all/fox", None),
        ("/a/fox", "/a/"),
        ("/a", None),
        ("/about", None),
        ("/shopping", None),
        ("/services/x", "/services"),
        ("/", None),
    ],
)
def test_paths_that_a_shop_serves_itself_are_recognised(path: str, part: str | None) -> None:
    assert fixed(path) == part
    assert shop_addresses.FIXED.format(part).endswith("its own paths.")
