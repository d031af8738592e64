"""Checks structured data: whether it has the required properties, and whether the page shows what the data says.

Required properties are checked only for the objects at the top of a JSON-LD block and for the main entities
(``mainEntity``) of these objects. If a review or a list only names a product, the product is not the page's own.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.page.text import fold, kept, mask_emails, one_space

# The required properties of Google's structured data gallery. One alternative of "a|b" is enough; "a.b" is the property
# b of a, if there is an a.
DOCUMENTED: Final = "2026-11"
REQUIRED: Final[Mapping[str, tuple[str, ...]]] = {
    "Product": ("name", "offers|aggregateRating|review"),
    "Recipe": ("name", "image"),
    "Event": ("name", "startDate", "location", "location.address|url"),
    "VideoObject": ("name", "thumbnailUrl", "uploadDate"),
    "JobPosting": ("title", "description", "datePosted", "hiringOrganization", "jobLocation|jobLocationType"),
    "LocalBusiness": ("name", "address"),
    "BreadcrumbList": ("itemListElement",),
    "Review": ("author", "reviewRating", "itemReviewed"),
}  # Article and its kinds have recommended properties only.
_NESTED_REVIEW: Final = ("author", "reviewRating")
_SAME: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        "BusinessEvent ChildrensEvent ComedyEvent DanceEvent EducationEvent ExhibitionEvent Festival FoodEvent"
        " LiteraryEvent MusicEvent SaleEvent ScreeningEvent SocialEvent SportsEvent TheaterEvent"
        " VisualArtsEvent".split(),
        "Event",
    ),
    **dict.fromkeys(
        "AutoDealer AutoRepair Bakery BarOrPub BeautySalon BookStore CafeOrCoffeeShop ClothingStore Dentist"
        " DepartmentStore Electrician ElectronicsStore FinancialService Florist FurnitureStore GroceryStore HairSalon"
        " HomeAndConstructionBusiness Hotel InsuranceAgency LegalService Locksmith LodgingBusiness MedicalBusiness"
        " MedicalClinic Pharmacy Physician Plumber ProfessionalService RealEstateAgent Restaurant Store"
        " TravelAgency".split(),
        "LocalBusiness",
    ),
    **dict.fromkeys(("IndividualProduct", "SomeProducts"), "Product"),
    "CriticReview": "Review",
    "UserReview": "Review",
}
_MOST_FINDINGS: Final = 20
_MOST_ITEMS: Final = 200
_MOST_KINDS: Final = 20  # types of one thing
_MOST_PRICES: Final = 20  # of one product, looked for in its page
_MOST_DIGITS: Final = 15  # of a price
_MOST_SHOWN: Final = 1_000_000  # characters of a page's text that are compared
_MOST_NAME: Final = 300  # characters of a product's name
_MOST_IMAGES: Final = 10  # of a product
_MOST_ADDRESS: Final = 2_048  # characters
_LEVELS: Final = 10  # of things inside each other

_NUMBER: Final = re.compile(r"[0-9](?:[0-9.,' \u00a0\u202f]*[0-9])?")
_CURRENCY: Final = r"(?:[£$€¥₹₽₺₩]|\b(?:USD|EUR|GBP|CHF|PLN|SEK|NOK|DKK|CZK|HUF|AUD|CAD|JPY)\b|zł|Kč|\bkr\b|\bFt\b)"
# Bounded, and anchored at the first digit of a run: a text may be one endless number.
_AMOUNT: Final = r"[0-9](?:[0-9.,'\u00a0\u202f]|[ ](?=[0-9]{3}(?![0-9]))){0,30}"
_SHOWN_PRICE: Final = re.compile(
    rf"{_CURRENCY}\s?{_AMOUNT}|(?<![0-9])(?<![0-9][.,'\u00a0\u202f]){_AMOUNT}\s?{_CURRENCY}"
)
_RATING: Final = re.compile(r"[0-9]{1,4}(?:[.,][0-9]{1,10})?")
_SHOWN_RATING: Final = re.compile(
    r"(?<![0-9.,/])([0-5](?:[.,][0-9]{1,2})?) ?(?:/|of|out of|von|sur|de|di|van|na|z) ?(?:5|five)(?![0-9.,/])"
)
_BETWEEN: Final = "[.,' \u00a0\u202f]?"  # characters allowed between the digits of a number
_WORD: Final = re.compile(r"\w{2,}")
_NAMES_SHARED: Final = 0.5  # at least this share of the words of a product's name is on its page

Thing = Mapping[str, object]


def check_required(facts: PageFacts, things: Sequence[Thing]) -> None:
    """Fill ``schema_missing``. ``things``: the top-level objects of the page's JSON-LD blocks."""
    for thing in _whole(things):
        for kind in dict.fromkeys(_SAME.get(kind, kind) for kind in types_of(thing)):
            _note(facts, kind, thing, missing(thing, REQUIRED.get(kind, ())))
            if kind == "BreadcrumbList":
                _note(facts, kind, thing, _missing_in_trail(thing))
        for review in _listed(thing.get("review"))[:_MOST_ITEMS] if "review" in thing else ():
            if isinstance(review, Mapping) and "@type" in review:
                _note(facts, "Review", thing, missing(review, _NESTED_REVIEW))


def _note(facts: PageFacts, kind: str, thing: Thing, properties: list[str]) -> None:
    if properties and len(facts.schema_missing) < _MOST_FINDINGS:
        found = (kind, mask_emails(text_of(thing.get("name") or thing.get("headline")))[:100], properties)
        if found not in facts.schema_missing:
            facts.schema_missing.append(found)


def _whole(things: Sequence[Thing]) -> Iterator[Thing]:
    """Yield the objects, including the main entities of pages. Blocks with the same @id describe one object."""
    by_id: dict[str, dict[str, object]] = {}
    for thing in things[:_MOST_ITEMS]:
        for one in (thing, *_listed(thing.get("mainEntity"))[:_MOST_ITEMS]):
            if not isinstance(one, Mapping) or "@type" not in one:
                continue
            name = one.get("@id")
            if not isinstance(name, str) or not name:
                yield one
            elif name in by_id:
                known = by_id[name]
                for key, value in one.items():
                    known.setdefault(key, value)
            else:
                by_id[name] = dict(one)
    yield from by_id.values()


def types_of(thing: Thing) -> list[str]:
    """Return the short names of an object's types."""
    names = [name for name in _listed(thing.get("@type"))[:_MOST_KINDS] if isinstance(name, str)]
    return [name[:300].strip().rpartition("/")[2].rpartition(":")[2][:100] for name in names]


def missing(thing: Thing, required: Sequence[str]) -> list[str]:
    """Return the required properties that the object lacks. Alternatives are joined to one text: "a, b or c"."""
    found = []
    for rule in required:
        of, dot, rest = rule.partition(".")
        alternatives = (rest if dot else rule).split("|")
        holders = (
            [item for item in _listed(thing.get(of))[:_MOST_ITEMS] if isinstance(item, Mapping)] if dot else [thing]
        )
        # A text, or a reference to a thing elsewhere, does not show what that thing lacks.
        holders = [holder for holder in holders if not (dot and set(holder) <= {"@id", "@type"} and "@id" in holder)]
        if any(not any(_given(holder.get(name)) for name in alternatives) for holder in holders):
            wanted = " or ".join([", ".join(alternatives[:-1]), alternatives[-1]] if alternatives[1:] else alternatives)
            found.append(f"{of}.{wanted}" if dot else wanted)
    return found


def _missing_in_trail(trail: Thing) -> list[str]:
    """Return the properties that the entries of a breadcrumb trail lack. The last entry needs no address."""
    listed = _listed(trail.get("itemListElement"))
    if len(listed) == 1 and isinstance(listed[0], Mapping) and "@list" in listed[0]:
        listed = _listed(listed[0]["@list"])
    entries = [entry for entry in listed if isinstance(entry, Mapping)]
    found: dict[str, None] = {}
    for number, entry in enumerate(entries[:_MOST_ITEMS]):
        item = entry.get("item")
        if not _given(entry.get("position")):
            found["itemListElement.position"] = None
        if not _given(entry.get("name")) and not (isinstance(item, Mapping) and _given(item.get("name"))):
            found["itemListElement.name"] = None
        if not _given(item) and number < len(entries) - 1:
            found["itemListElement.item"] = None
    return list(found)


def _listed(value: object) -> list[object]:
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def _given(value: object, levels: int = _LEVELS) -> bool:
    """Whether a property has content. "", [], {} and lists of only those have none."""
    if isinstance(value, str):
        return bool(value.strip())
    if isinstance(value, list):
        return any(not levels or _given(item, levels - 1) for item in value[:_MOST_ITEMS])
    return value is not None and value != {}


def text_of(value: object) -> str:
    """Return a property as one text; "" if the property is not a text."""
    if isinstance(value, list):
        value = next((item for item in value if isinstance(item, str | Mapping)), "")
    if isinstance(value, Mapping):
        value = value.get("@value") or value.get("name") or ""
    if isinstance(value, bool):
        return ""
    return one_space(str(value))[:300] if isinstance(value, str | int | float) else ""


class Claims:
    """The claims of JSON-LD about the one product of a page: its name, its prices, its rating."""

    __slots__ = ("name", "prices", "rating")

    def __init__(self, product: Thing) -> None:
        self.name = text_of(product.get("name"))
        self.prices = list(islice(dict.fromkeys(_prices(product.get("offers"))), _MOST_PRICES))
        rating = next((item for item in _listed(product.get("aggregateRating")) if isinstance(item, Mapping)), {})
        best = text_of(rating.get("bestRating")) or "5"
        self.rating = text_of(rating.get("ratingValue")) if best in ("5", "5.0") else ""

    def stand_in(self, text: str) -> bool:
        """Whether the text contains all claims word for word. If so, a closer comparison is unnecessary."""
        return (
            self.name in text
            and self.rating in text
            and (not self.prices or any(price in text for price in self.prices))
        )


def read_product(facts: PageFacts, things: Sequence[Thing], resolve: Callable[[str], str | None]) -> None:
    """Fill ``product`` and ``product_images`` if the page's JSON-LD describes exactly one product."""
    products = _products(things)
    facts.product = kept(text_of(products[0].get("name")), _MOST_NAME) if products else ""
    for product in products if facts.product else ():
        for image in _listed(product.get("image"))[:_MOST_IMAGES]:
            written = (image.get("url") or image.get("contentUrl")) if isinstance(image, Mapping) else image
            address = resolve(written) if isinstance(written, str) and len(written) <= _MOST_ADDRESS else None
            if address is not None and address not in facts.product_images:
                facts.product_images.append(address)
    del facts.product_images[_MOST_IMAGES:]


def _products(things: Sequence[Thing]) -> list[Thing]:
    """Return the blocks that describe the one product of the page; an empty list if they describe several."""
    products = [thing for thing in _whole(things) if "Product" in types_of(thing)]
    return products if len({fold(text_of(product.get("name"))) for product in products}) == 1 else []


def claims_of(things: Sequence[Thing]) -> Claims | None:
    """Return the claims of the page's JSON-LD about its product; None if it does not describe exactly one product."""
    products = _products(things)
    if not products:
        return None
    # Where review and shop plugins describe one product in two blocks, the one with a price counts.
    return Claims(next((product for product in products if product.get("offers")), products[0]))


def _prices(offers: object, levels: int = _LEVELS) -> Iterator[str]:
    for offer in _listed(offers)[:_MOST_ITEMS]:
        if not isinstance(offer, Mapping):
            continue
        for name in ("price", "lowPrice", "highPrice"):
            price = text_of(offer.get(name))
            if price:
                yield price
        for part in _listed(offer.get("priceSpecification"))[:10]:
            if isinstance(part, Mapping):
                price = text_of(part.get("price"))
                if price:
                    yield price
        if levels and "offers" in offer:
            inner = [item for item in _listed(offer["offers"]) if isinstance(item, Mapping)][:10]
            yield from _prices(inner, levels - 1)


def check_shown(facts: PageFacts, claims: Claims, shown: str) -> None:
    """Fill ``schema_differs``. ``shown``: the whole text of the page, including hidden parts.

    Values that scripts fill in are not visible here. A price or a rating therefore counts as different only if the page
    shows another price or rating.
    """
    shown = shown[:_MOST_SHOWN]
    prices = [price for price in claims.prices if _digits(price).strip("0.")]
    if prices and not any(_shows_price(shown, price) for price in prices):
        found = dict.fromkeys(one_space(match[0]).strip(".,'") for match in _SHOWN_PRICE.finditer(shown))
        others = list(islice(found, 3))
        if others:
            facts.schema_differs.append(("price", " or ".join(prices[:3]), ", ".join(others)))
    if claims.rating:
        _check_rating(facts, claims.rating, shown)
    words = set(_WORD.findall(fold(claims.name)))
    if words:
        there = fold(f"{shown} {facts.title or ''}")
        present = sum(word in there for word in words)
        if present < _NAMES_SHARED * len(words):
            first = next((text for level, text in facts.headings if level == 1), facts.title or "")
            facts.schema_differs.append(("name", kept(claims.name, 100), first[:100]))


def _check_rating(facts: PageFacts, rating: str, shown: str) -> None:
    if not _RATING.fullmatch(rating):
        return
    said = float(rating.replace(",", "."))
    values = {float(match[1].replace(",", ".")) for match in _SHOWN_RATING.finditer(shown)}
    # Several values are often those of single reviews.
    if len(values) == 1 and abs(said - (value := values.pop())) >= 0.1 and round(said) != value:
        facts.schema_differs.append(("rating", rating, f"{value:g} of 5"))


def _digits(price: str) -> str:
    """Return the number in a price: ``1,299.00 EUR`` and ``1.299,00`` are ``1299.00``. Returns "" without a number."""
    match = _NUMBER.search(price)
    if match is None:
        return ""
    number = re.sub(r"[' \u00a0\u202f]", "", match[0])
    whole, mark, rest = number.rpartition("." if number.rfind(".") > number.rfind(",") else ",")
    if not mark or (len(rest) == 3 and whole.count(mark) == 0 and mark == ","):
        return re.sub(r"[.,]", "", number)
    if len(rest) > 2 and not rest.strip("0"):
        rest = rest[:2]
    return f"{re.sub(r'[.,]', '', whole)}.{rest}"


def _shows_price(shown: str, price: str) -> bool:
    """Whether the text has the price in any usual notation: ``17.5`` equals ``17.50``, ``17,50`` and ``17 50``."""
    if price in shown:
        return True
    whole, _, rest = _digits(price).partition(".")
    whole = whole.lstrip("0") or "0"
    if len(whole) + len(rest) > _MOST_DIGITS:  # not a price; the search for its spellings would be slow
        return False
    pattern = rf"(?<![0-9]){_BETWEEN.join(whole)}"
    if rest.strip("0"):
        pattern += rf"[^0-9]{{1,3}}{rest.ljust(2, '0') if len(rest) < 3 else rest}"
    return re.search(rf"{pattern}(?![0-9])", shown) is not None
