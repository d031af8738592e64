"""The language of a text: names for comparing texts, and tags that a page can declare."""

import pytest

from chalicelib.suggestions.languages import spoken, tag_of

UKRAINIAN = (
    "Подвійний клацання на архіві відкриває його вміст. Програма має власний формат і не потребує інших засобів."
)
RUSSIAN = "Двойной щелчок открывает содержимое архива. Программа имеет собственный формат, и это всё, что ей нужно."
BULGARIAN = "Двойно щракване отваря съдържанието на архива. Програмата има собствен формат и не се нуждае от друго."
SERBIAN = (
    "Двоструки клик отвара садржај архиве. Програм има сопствени формат, и то је све што му треба. Ово ће бити њен део."
)
BELARUSIAN = "Падвойны пстрык адкрывае змесціва архіва. Праграма мае ўласны фармат, і гэта ўсё, што ёй трэба."
MACEDONIAN = "Двоен клик ја отвора содржината на архивата. Програмата има сопствен формат, а сѐ друго доаѓа подоцна."
PERSIAN = "این برنامه پرونده‌ها را باز می‌کند و چیز دیگری لازم نیست. گزینه‌ها در صفحهٔ بعد آمده‌اند."
ARABIC = "يفتح هذا البرنامج الملفات ولا يحتاج إلى شيء آخر. الخيارات موجودة في الصفحة التالية من هذا الدليل."
DANISH = "Det er en af de ting, som vi ikke har lavet, og den er med i det hele. Af den grund er du med til det."
NORWEGIAN = "Det er en av de tingene som vi ikke har laget, og den er med i det hele. Av den grunn er du med til det."


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        (UKRAINIAN, "uk"),
        (RUSSIAN, "ru"),
        (BULGARIAN, "bg"),
        (SERBIAN, "sr"),
        (BELARUSIAN, "be"),
        (MACEDONIAN, "mk"),
        (PERSIAN, None),
        (ARABIC, "ar"),
        (DANISH, "da"),
        (NORWEGIAN, "no"),
        ("Der Rhein ist die Grenze, und das ist nicht alles, was es zu sehen gibt.", "de"),
        ("Привет, дорога", None),
        (RUSSIAN * 5 + " Місто Київ", "ru"),
        (RUSSIAN * 5 + UKRAINIAN, None),
        ("Бұл бағдарлама мұрағатты ашады және басқа ештеңе қажет емес. Ол қазақ тілінде жазылған.", None),
        ("Бу дастур архивни очади ва бошқа ҳеч нарса керак эмас. У ўзбек тилида ёзилган.", None),
        ("", None),
    ],
)
def test_the_tag_names_the_language_itself_and_not_its_relatives(text: str, tag: str | None) -> None:
    assert tag_of(text) == tag


def test_languages_of_one_script_have_one_name_when_texts_are_compared() -> None:
    assert {spoken(text) for text in (UKRAINIAN, RUSSIAN, BULGARIAN, SERBIAN, BELARUSIAN, MACEDONIAN)} == {"ru"}
    assert spoken(PERSIAN) == spoken(ARABIC) == "ar" and spoken(DANISH) == spoken(NORWEGIAN) == "nb"
