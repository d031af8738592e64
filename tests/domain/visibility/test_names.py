"""Whether a text names a website, in every script."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.visibility.names import MOST_TEXT, Names

HOST = "acme.example"


def named(text: str, *given: str, host: str = HOST) -> bool:
    return Names.of(host, given).in_text(text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Acme", "Acme is the best."),
        ("Acme", "We like Acme, Beta and Gamma."),
        ("Acme", "**Acme**: good boots"),
        ("Acme", "1.Acme\n2.Beta"),
        ("Acme", "Acme's boots; Acme’s tents"),
        ("Acme", "die Acme-Schuhe"),
        ("Acme", "ACME makes boots"),
        ("Acme", "[Acme](https://other.example/a) is good"),
        ("Acme Boots", "acme\nboots are fine"),
        ("Acme Boots", "Acme **Boots** are fine"),
        ("Acme", "我喜欢Acme的靴子"),
        ("Acme", "Acme는 좋다"),
        ("McDonald's", "McDonald’s"),
        ("AT&T", "AT&T and others"),
        ("Straße", "STRASSE gewinnt"),
        ("Müller", "bei Müller"),
        ("Müller", unicodedata.normalize("NFD", "bei Müller.")),
        ("無印良品", "私は無印良品で買う"),
        ("アマゾン", "アマゾンで買う"),
        ("삼성", "삼성은 좋다"),
        ("삼성", "삼성에서 샀다"),
        ("أمازون", "اشتريت من أمازون"),
        ("أمازون", "وأمازون أيضا"),
        ("أمازون", "بأمازون، امازون"),
        ("עגנון", "קניתי בעגנון אתמול"),
        ("Яндекс", "лучше всего Яндекс."),
        ("เซ็นทรัล", "ซื้อที่เซ็นทรัลเมื่อวาน"),
        ("eBay", "on eBay today"),
        ("notion", "a notion of it"),
        ("Booking.com", "Try booking.com first."),
        ("Shop", "acme.example has it"),
        ("Shop", "buy at www.acme.example."),
        ("Shop", "ask ACME.example, they know"),
    ],
)
def test_a_name_as_a_separate_word_is_a_mention(name: str, text: str) -> None:
    assert named(text, name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Acme", "Acmeister and Megaacme"),
        ("Acme", "see https://acme.com/acme for more"),
        ("Acme", "see acme.com for more"),
        ("Acme", "see www.acme.com/Acme or /acme"),
        ("Acme", "write to Acme@shop.example or info@acme.com"),
        ("Acme", "follow @Acme"),
        ("Acme", "([acme.com](https://acme.com/?utm_source=openai))"),
        ("Acme", "[boots](https://shop.example/Acme)"),
        ("Acme", "![Acme](https://shop.example/i.png)"),
        ("Müller", "die Müllerei und der Obermüller"),
        ("Tür", "Türschloss, Haustür, Türen"),
        ("Node", "Node.js is not meant"),
        ("AT", "AT&T is not meant"),
        ("Notion", "a notion of it"),
        ("アマゾン", "アマゾンプライム"),
        ("삼성", "삼성전자"),
        ("أمازون", "الأمازونية"),
        ("Acme", ""),
        ("Acme", "Acme1 Acme_2"),
        ("Shop", "see https://acme.example/boots"),
        ("Shop", "see acme.example/boots, shop.acme.example and acme.example.org"),
        ("Shop", "[acme.example](https://acme.example/)"),
        ("Booking.com", "https://www.booking.com/hotel"),
        ("---", "--- and ---"),
    ],
)
def test_a_name_inside_another_word_or_an_address_is_not_a_mention(name: str, text: str) -> None:
    assert not named(text, name)


WORDS = st.sampled_from(["acme", "Acme", "acmes", "megaacme", "boots", "Müller", "müllerei", "x", "2"])
GAPS = st.sampled_from([" ", ", ", ". ", "\n", " - ", "; ", "! ", " (", ") "])


@given(st.lists(st.tuples(WORDS, GAPS)), st.sampled_from(["acme", "müller", "boots"]))
def test_only_a_whole_word_in_plain_text_is_a_mention(parts: list[tuple[str, str]], name: str) -> None:
    text = "".join(word + gap for word, gap in parts)
    assert named(text, name) == (name in re.findall(r"\w+", text.lower()))


@given(st.text(max_size=200), st.text(min_size=1, max_size=20))
def test_any_text_and_any_name_are_accepted(text: str, name: str) -> None:
    named(text, name)
    named(f"{text}{name}{text}", name)


@given(st.text(alphabet="abcXY-/.?=&%é世", max_size=40))
def test_a_name_inside_a_web_address_is_not_a_mention(path: str) -> None:
    assert not named(f"see https://shop.example/{path}acme/{path} there", "acme")


@pytest.mark.parametrize("piece", ["acme.", "a@", "[", "](", "_", "a.a-", "acme", "\u0301", "@a", "https://", "世acme"])
def test_searching_long_texts_takes_linear_time(piece: str) -> None:
    text = piece * (2 * MOST_TEXT // len(piece))
    named(text, "acme", "Acme Boots", "世界")
