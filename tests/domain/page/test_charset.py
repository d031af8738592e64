"""Bytes read as the characters their author meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from webencodings.labels import LABELS

from chalicelib.domain.page.charset import charset_of_label, decode

TEXTS = {
    "euc-kr": ("cp949", "이 문서는 한국어로 작성된 웹 페이지입니다. 오늘의 뉴스와 날씨를 확인하세요."),
    "shift_jis": ("cp932", "このページは日本語で書かれています。会社案内、製品情報、お問い合わせはこちらから。"),
    "euc-jp": ("euc_jp", "このページは日本語で書かれています。会社案内、製品情報、お問い合わせはこちらから。"),
    "gb18030": (
        "gb18030",
        "这个网页是用中文写的。公司介绍、产品信息、联系我们。请查看最新的新闻和天气预报，谢谢您的访问。",
    ),
    "big5": ("big5", "這個網頁是用中文寫的。公司介紹、產品資訊、聯絡我們。請查看最新的新聞和天氣預報，謝謝您的訪問。"),
    "windows-1251": ("cp1251", "Эта страница написана на русском языке. О компании, продукция, контакты."),
    "koi8-r": ("koi8_r", "Эта страница написана на русском языке. О компании, продукция, контакты."),
    "windows-1253": ("cp1253", "Αυτή η σελίδα είναι γραμμένη στα ελληνικά. Εταιρεία, προϊόντα, επικοινωνία."),
    "windows-1255": ("cp1255", "דף זה נכתב בעברית. אודות החברה, מוצרים, צור קשר. קראו את החדשות האחרונות"),
    "windows-1256": ("cp1256", "هذه الصفحة مكتوبة باللغة العربية. عن الشركة، المنتجات، اتصل بنا. اقرأ آخر الأخبار"),
    "windows-874": ("cp874", "หน้านี้เขียนเป็นภาษาไทย เกี่ยวกับบริษัท ผลิตภัณฑ์ ติดต่อเรา อ่านข่าวล่าสุด"),
    "windows-1250": ("cp1250", "Zażółć gęślą jaźń. Dziękujemy za odwiedzenie naszej strony, proszę sprawdzić usługi."),
    "iso-8859-2": ("iso8859_2", "Příliš žluťoučký kůň úpěl ďábelské ódy. Vítejte na našich stránkách."),
    "windows-1254": ("cp1254", "Bu sayfa Türkçe yazılmıştır. Şirketimiz hakkında bilgi, ürünler, iletişim."),
}
WESTERN = [
    "Über uns: Wir führen schöne Möbel für Küche, Büro und Wohnzimmer. Größe und Farbe wählen Sie selbst.",
    "Été comme hiver, découvrez notre société à l’écoute des clients. Où êtes-vous ? Prêt à être livré, garçon !",
    "El niño comió mañana. Información y atención al cliente en España. ¿Qué más quiere usted?",
    "Välkommen till vår webbplats. Här hittar du information om våra tjänster på nätet.",
    "Informações sobre nossos serviços: não há cobrança até amanhã, atenção às condições.",
    "Perché scegliere noi? Qualità e città più belle, così è la realtà.",
    "Café",
    "It’s “fine” – really… © 2026",
]


def page(text: str, head: str = "") -> str:
    return (
        f"<html><head>{head}<title>Page</title><script>var a = 1 < 2;</script></head>"
        f"<body><p class='x'>{text}</p></body></html>"
    )


@pytest.mark.parametrize("charset", TEXTS)
def test_charsets_of_pages_without_a_declaration_are_detected(charset: str) -> None:
    codec, text = TEXTS[charset]
    assert decode(page(text).encode(codec), "text/html") == (page(text), charset, "detected")


@pytest.mark.parametrize("text", WESTERN)
def test_western_bytes_are_read_as_windows_1252_if_no_charset_is_declared(text: str) -> None:
    assert decode(page(text).encode("cp1252"), None)[:2] == (page(text), "windows-1252")


def test_utf8_without_a_declaration_is_recognised() -> None:
    assert decode(page("Grüße 世界").encode(), "text/html") == (page("Grüße 世界"), "utf-8", "detected")


@pytest.mark.parametrize("charset", TEXTS)
def test_the_charset_is_read_from_the_content_type_header(charset: str) -> None:
    codec, text = TEXTS[charset]
    assert decode(text.encode(codec), f"text/html; Charset={charset.upper()}") == (text, charset, "header")
    assert decode(text.encode(codec), f'text/html;charset="{charset}"; x=y') == (text, charset, "header")


@pytest.mark.parametrize(
    "head",
    [
        "<meta charset={}>",
        "<META CHARSET = '{}' >",
        '<meta http-equiv="Content-Type" content="text/html; charset={}">',
        "<!-- <meta charset=big5> --><meta name=x content=y><meta charset='{}'/>",
    ],
)
def test_the_charset_is_read_from_the_meta_tag(head: str) -> None:
    text = page("Привет, мир", head.format("windows-1251"))
    assert decode(text.encode("cp1251"), "text/html") == (text, "windows-1251", "meta")


def test_the_charset_is_read_from_the_xml_declaration() -> None:
    text = '<?xml version="1.0" encoding="EUC-JP"?><html>日本</html>'
    assert decode(text.encode("euc_jp"), "application/xhtml+xml") == (text, "euc-jp", "meta")


def test_a_charset_declaration_after_2_kb_is_ignored() -> None:
    text = page("Привет, мир, как дела", " " * 2048 + "<meta charset=ibm866>")
    assert decode(text.encode("cp1251"), None)[1:] == ("windows-1251", "detected")


def test_a_byte_order_mark_is_preferred_to_the_charset_in_header_and_page() -> None:
    for codec, charset in (("utf-8-sig", "utf-8"), ("utf-16", "utf-16le")):
        data = page("世界", "<meta charset=big5>").encode(codec)
        assert decode(data, "text/html; charset=euc-kr")[1:] == (charset, "bom")
        assert decode(data, None)[0].startswith("<html>")
    assert decode("\ufeff世".encode("utf-16-be"), None) == ("世", "utf-16be", "bom")


def test_the_charset_in_the_header_is_preferred_to_the_charset_in_the_page() -> None:
    text = page("Привет", "<meta charset=koi8-r>")
    assert decode(text.encode("cp1251"), "text/html; charset=windows-1251")[1:] == ("windows-1251", "header")


@pytest.mark.parametrize(
    ("label", "charset"),
    [
        *(("UTF8", "utf-8"), ("iso-8859-1", "windows-1252"), ("latin1", "windows-1252"), ("US-ASCII", "windows-1252")),
        *(("iso-8859-9", "windows-1254"), ("tis-620", "windows-874"), ("gb2312", "gbk"), ("ks_c_5601-1987", "euc-kr")),
        *(("sjis", "shift_jis"), ("windows-31j", "shift_jis"), ("x-sjis", "shift_jis"), ("utf-16", "utf-16le")),
        *((" koi8-r ", "koi8-r"), ("latin-1", "windows-1252"), ("cp949", "euc-kr"), ("martian", None), ("", None)),
    ],
)
def test_charset_labels_mean_the_same_as_in_browsers(label: str, charset: str | None) -> None:
    assert charset_of_label(label) == charset


def test_every_charset_can_be_decoded() -> None:
    for label in LABELS:
        assert decode(b"plain", f"text/html; charset={label}")[1] in (charset_of_label(label), "utf-8")


def test_undefined_bytes_of_windows_1252_are_control_characters() -> None:
    assert decode(b"\x81 caf\xe9 \x9d", "text/html; charset=iso-8859-1") == ("\x81 café \x9d", "windows-1252", "header")


def test_a_utf16_declaration_inside_a_page_is_read_as_utf8() -> None:
    assert decode(b"<meta charset=utf-16>plain", None)[1:] == ("utf-8", "meta")


@pytest.mark.parametrize("label", ["martian", "none", "x-user-defined", "iso-2022-kr", "utf\udce9"])
def test_an_unknown_label_is_skipped(label: str) -> None:
    text = page("Grüße", "<meta charset=utf-8>")
    assert decode(text.encode(), f"text/html; charset={label}") == (text, "utf-8", "meta")


# -- wrong declarations ---------------------------------------------------------------------------------------


def test_utf8_text_stays_correct_if_the_server_declares_a_wrong_charset() -> None:
    text = page("Grüße aus München", "<meta charset=utf-8>")
    assert decode(text.encode(), "text/html; charset=ISO-8859-1") == (text, "utf-8", "meta")
    bare = page("Grüße aus München")
    assert decode(bare.encode(), "text/html; charset=ISO-8859-1") == (bare, "utf-8", "detected")


def test_plain_ascii_text_keeps_the_declared_charset() -> None:
    assert decode(b"plain", "text/html; charset=ISO-8859-1") == ("plain", "windows-1252", "header")


@pytest.mark.parametrize("charset", ["euc-kr", "shift_jis", "windows-1251", "gb18030"])
def test_a_page_that_wrongly_declares_utf8_is_decoded_correctly(charset: str) -> None:
    codec, text = TEXTS[charset]
    written = page(text, "<meta charset=utf-8>")
    assert decode(written.encode(codec), "text/html; charset=utf-8") == (written, charset, "detected")


def test_if_the_header_is_wrong_the_charset_of_the_page_is_used() -> None:
    text = page("Größe", "<meta charset=iso-8859-1>")
    assert decode(text.encode("cp1252"), "text/html; charset=utf-8") == (text, "windows-1252", "meta")


def test_a_few_invalid_characters_do_not_change_the_charset() -> None:
    data = page("Grüße, Größe, Öl und Übermut, schöne Möbel für Küche äöü " * 3).encode() + b"caf\xe9."
    text, charset, source = decode(data, "text/html; charset=utf-8")
    assert (charset, source, text.count("\ufffd")) == ("utf-8", "header", 1)
    assert decode(data, None)[1:] == ("utf-8", "detected")


def test_a_body_cut_inside_a_character_stays_utf8() -> None:
    data = "Größe und Übermut".encode() + "世".encode()[:2]
    assert decode(data, "text/html; charset=utf-8")[1:] == ("utf-8", "header")


def test_an_empty_body_is_an_empty_text() -> None:
    assert decode(b"", None) == ("", "utf-8", "detected")


@given(st.binary(max_size=200), st.sampled_from([None, "text/html", "text/html; charset=utf-8", "a; charset=euc-kr"]))
def test_arbitrary_bytes_are_decoded_to_storable_text(body: bytes, content_type: str | None) -> None:
    text, charset, source = decode(body, content_type)
    text.encode()
    assert charset_of_label(charset) == charset
    assert source in ("header", "bom", "meta", "detected", "default")
