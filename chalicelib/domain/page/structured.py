"""Structured data of a page: the types that it names, the parse errors of its blocks, and the organization that it
describes.

JSON-LD comes first, then microdata and RDFa. Control characters inside JSON strings are accepted, as Google's reader
does. Other syntax errors are described in words, with their place.
"""

import json
import re
from typing import Final

from selectolax.lexbor import LexborNode

from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.page.markup import MAX_LEVELS, written_text
from chalicelib.domain.page.text import kept, mask_in_place, one_space

_MOST_TYPES: Final = 100
_MOST_ERRORS: Final = 20
_MOST_VALUES: Final = 20_000  # JSON values looked at in one page
_MOST_CHARACTERS: Final = 2_000_000  # of all blocks of a page
_ITEM_MARKS: Final = frozenset(("itemscope", "itemtype", "typeof"))
_MOST_NAMES: Final = 50  # types of one thing
_WEBSITE: Final = "WebSite"
_SITES: Final = frozenset({_WEBSITE, "Blog"})
_PERSON: Final = "Person"
_PROFILE: Final = "ProfilePage"
_BEHIND_IT: Final = ("author", "publisher", "creator", "copyrightHolder", "founder")

_WRAPPERS: Final = re.compile(r"(?:<!--|//\s*<!\[CDATA\[|/\*\s*<!\[CDATA\[\s*\*/|<!\[CDATA\[|//\s*<!--)+\s*")
# Text that may close such a wrapper; only the last characters are searched.
_WRAPPER_ENDS: Final = re.compile(r"(?:(?://\s{0,4})?-->|//\s{0,4}\]\]>|/\*\s{0,4}\]\]>\s{0,4}\*/|\]\]>)\Z")
_LONGEST_END: Final = 16
_MOST_ENDS: Final = 5
_VOCABULARY: Final = re.compile(r"^(?:https?://(?:www\.)?schema\.org/|schema:)", re.IGNORECASE)
_DECODER: Final = json.JSONDecoder(strict=False)

# schema.org: Organization, its subtypes, and the subtypes of LocalBusiness that websites use.
ORGANIZATION_TYPES: Final = frozenset(
    """Organization Corporation NGO EducationalOrganization CollegeOrUniversity ElementarySchool HighSchool MiddleSchool
    Preschool School GovernmentOrganization GovernmentOffice MedicalOrganization NewsMediaOrganization OnlineBusiness
    OnlineStore PerformingGroup MusicGroup TheaterGroup DanceGroup SportsOrganization SportsTeam SportsClub Airline
    Consortium Cooperative FundingScheme LibrarySystem PoliticalParty Project ResearchProject FundingAgency
    ResearchOrganization SearchRescueOrganization WorkersUnion LocalBusiness AnimalShelter ArchiveOrganization
    AutomotiveBusiness AutoBodyShop AutoDealer AutoPartsStore AutoRental AutoRepair AutoWash GasStation MotorcycleDealer
    MotorcycleRepair ChildCare Dentist DryCleaningOrLaundry EmergencyService FireStation Hospital PoliceStation
    EmploymentAgency EntertainmentBusiness AdultEntertainment AmusementPark ArtGallery Casino ComedyClub MovieTheater
    NightClub FinancialService AccountingService AutomatedTeller BankOrCreditUnion InsuranceAgency FoodEstablishment
    Bakery BarOrPub Brewery CafeOrCoffeeShop Distillery FastFoodRestaurant IceCreamShop Restaurant Winery PostOffice
    HealthAndBeautyBusiness BeautySalon DaySpa HairSalon HealthClub NailSalon TattooParlor HomeAndConstructionBusiness
    Electrician GeneralContractor HVACBusiness HousePainter Locksmith MovingCompany Plumber RoofingContractor
    InternetCafe
    LegalService Attorney Notary Library LodgingBusiness BedAndBreakfast Campground Hostel Hotel Motel Resort SkiResort
    VacationRental MedicalBusiness CommunityHealth Dermatology DietNutrition Emergency Geriatric Gynecologic
    MedicalClinic
    Midwifery Nursing Obstetric Oncologic Optician Optometric Otolaryngologic Pediatric Pharmacy Physician Physiotherapy
    PlasticSurgery Podiatric PrimaryCare Psychiatric PublicHealth ProfessionalService RadioStation RealEstateAgent
    RecyclingCenter SelfStorage ShoppingCenter SportsActivityLocation BowlingAlley ExerciseGym GolfCourse
    PublicSwimmingPool
    StadiumOrArena TennisComplex Store BikeStore BookStore ClothingStore ComputerStore ConvenienceStore DepartmentStore
    ElectronicsStore Florist FurnitureStore GardenStore GroceryStore HardwareStore HobbyShop HomeGoodsStore JewelryStore
    LiquorStore MensClothingStore MobilePhoneStore MovieRentalStore MusicStore OfficeEquipmentStore OutletStore PawnShop
    PetStore ShoeStore SportingGoodsStore TireShop ToyStore WholesaleStore TelevisionStation TouristInformationCenter
    TravelAgency VeterinaryCare DiagnosticLab Zoo""".split()
)
_ADDRESS_PARTS: Final = ("streetAddress", "postalCode", "addressLocality", "addressRegion", "addressCountry")

Organization = dict[str, str | list[str]]


def type_name(written: str) -> str:
    """Return the short name of a type: ``Product`` for ``https://schema.org/Product`` and ``schema:Product``. Types of
    vocabularies other than schema.org stay as written."""
    return _VOCABULARY.sub("", written[:300].strip())[:100]


def parse_error(text: str, error: json.JSONDecodeError) -> str:
    """Describe why a JSON-LD block does not parse, with the place in the block."""
    position = error.pos
    before = text[:position].rstrip()
    found = text[position : position + 1]
    last = before[-1:]
    if ("Expecting property name" in error.msg and found == "}") or "Illegal trailing comma" in error.msg:
        why = "there is a comma before the closing bracket"
    elif "Expecting property name" in error.msg:
        why = "a name in double quotes is missing (single or no quotes are not JSON)" if found else "it ends early"
    elif "Expecting value" in error.msg and found in ("]", "}"):
        why = "there is a comma before the closing bracket" if last == "," else "a value is missing"
    elif "Expecting value" in error.msg and not found:
        why = "it ends early: a closing bracket or a value is missing"
    elif "Expecting value" in error.msg:
        why = "a value is not JSON (unquoted text, a single quote or a template placeholder)"
    elif "Expecting ',' delimiter" in error.msg and not found:
        why = "it ends early: a closing bracket is missing"
    elif "Expecting ',' delimiter" in error.msg:
        why = (
            "a double quote inside a text is not escaped, or a comma is missing"
            if last == '"'
            else "a comma is missing between two values"
        )
    elif "Expecting ':' delimiter" in error.msg:
        why = "a colon is missing after a name (or a double quote inside a text is not escaped)"
    elif "Unterminated string" in error.msg:
        why = "a text is not closed with a double quote"
    elif "escape" in error.msg:
        why = "a backslash does not begin a valid escape"
    elif "Extra data" in error.msg:
        why = "more text follows after the end of the data"
    else:
        why = error.msg[:1].lower() + error.msg[1:]
    context = _near(text, position)
    near = f", near “{context}”" if context else ""
    return f"line {error.lineno}, column {error.colno}: {why}{near}"


def _near(text: str, position: int) -> str:
    """Return the text around a place of a block. Addresses in it are hidden, even those that are only partly shown."""
    first, start, end = max(0, position - 350), max(0, position - 30), position + 10
    around = mask_in_place(text[first : end + 320])
    return one_space(around[start - first : end - first])


def _unwrapped(text: str) -> str:
    text = text.strip().lstrip("\ufeff")
    if text[:1] in "<*/" or text[-1:] in ">/":
        opened = _WRAPPERS.match(text)
        text = text[opened.end() :] if opened else text
        for _ in range(_MOST_ENDS):
            close = _WRAPPER_ENDS.search(text, max(0, len(text) - _LONGEST_END))
            if close is None:
                break
            text = text[: close.start()].rstrip()
    return text.strip().rstrip(";")


def read_json_ld(facts: PageFacts, blocks: list[str]) -> list[dict[str, object]]:
    """Read the page's JSON-LD blocks. Returns their top-level objects.

    The function fills in the types, the errors, the organization and the website's name. A block that is cut off
    because the page exceeds the crawler's limit is not a fault of the page.
    """
    things: list[dict[str, object]] = []
    budget = _MOST_VALUES
    best = 0
    room = _MOST_CHARACTERS
    for number, block in enumerate(blocks):
        if len(block) > room:  # beyond the limit, which is not a fault of the page
            break
        room -= len(block)
        text = _unwrapped(block)
        if not text:
            continue
        error: str | None = None
        try:
            data = _DECODER.decode(text)
        except json.JSONDecodeError as fault:
            if not (facts.truncated and number == len(blocks) - 1) and len(facts.structured_errors) < _MOST_ERRORS:
                error = parse_error(text, fault)
        except (RecursionError, ValueError):
            error = "it is nested too deeply or holds a number too long to read"
        else:
            named, budget, best = _read_data(facts, data, budget, best, things)
            facts.structured_empty += not named
        if error is not None and len(facts.structured_errors) < _MOST_ERRORS:
            facts.structured_errors.append(error)
    return things


def _read_data(
    facts: PageFacts, data: object, budget: int, best: int, things: list[dict[str, object]]
) -> tuple[bool, int, int]:
    named = False
    pending: list[tuple[object, bool]] = [(data, True)]  # (value, whether it is at the top of the block)
    while pending and budget > 0:
        value, top = pending.pop()
        budget -= 1
        if isinstance(value, list):
            pending.extend((item, top) for item in reversed(value) if isinstance(item, dict | list))
        elif isinstance(value, dict):
            types = value.get("@type")
            if types is not None:
                if top:
                    things.append(value)
                listed = types[:_MOST_NAMES] if isinstance(types, list) else [types]
                names = [type_name(name) for name in listed if isinstance(name, str)]
                named = named or bool(names)
                add_types(facts, names)
                if facts.site_name is None and _WEBSITE in names:
                    facts.site_name = _text_of(value.get("name")) or None
                if facts.person is None and (top or not _SITES.isdisjoint(names)):
                    facts.person = _person_of(value, names)
                if not ORGANIZATION_TYPES.isdisjoint(names):
                    organization = organization_of(value)
                    worth = (4 if "name" in organization else 0) + (4 if "url" in organization else 0)
                    worth += len(organization) + (2 if top else 0)
                    if worth > best:
                        best, facts.organization = worth, organization
            graph = value.get("@graph")
            pending.extend(
                (item, False)
                for key, item in reversed(value.items())
                if key != "@graph" and key != "@context" and isinstance(item, dict | list)
            )
            if isinstance(graph, dict | list):
                pending.append((graph, top))
    return named or budget <= 0, budget, best


def _person_of(value: dict[str, object], names: list[str]) -> str | None:
    """Return the name of the person who owns the website, if an object of JSON-LD names one. The object may be a
    person, a profile with a main entity, or the website with its author or founder. Authors of single articles do not
    count."""
    if _PERSON in names:
        return _text_of(value.get("name")) or None
    keys = _BEHIND_IT if not _SITES.isdisjoint(names) else ("mainEntity",) if _PROFILE in names else ()
    for key in keys:
        for one in _listed(value.get(key)):
            if isinstance(one, dict) and _PERSON in _listed(one.get("@type")):
                name = _text_of(one.get("name"))
                if name:
                    return name
    return None


def _listed(value: object) -> list[object]:
    return value[:_MOST_NAMES] if isinstance(value, list) else [value]


def add_types(facts: PageFacts, names: list[str]) -> None:
    for name in names:
        if name and name not in facts.structured_types and len(facts.structured_types) < _MOST_TYPES:
            facts.structured_types.append(name)


def _text_of(value: object) -> str:
    if isinstance(value, list):
        value = next((item for item in value if isinstance(item, str | dict)), "")
    if isinstance(value, dict):
        value = value.get("@value") or value.get("@id") or value.get("name") or ""
    return kept(value, 300) if isinstance(value, str) else ""


def _address_of(value: object) -> str:
    if isinstance(value, list):
        value = next((item for item in value if isinstance(item, str | dict)), "")
    if isinstance(value, dict):
        return one_space(", ".join(filter(None, (_text_of(value.get(part)) for part in _ADDRESS_PARTS))))[:300]
    return _text_of(value)


def organization_of(value: dict[str, object]) -> Organization:
    """Return the parts of an Organization that rules use. Parts that the Organization does not have are left out."""
    found: Organization = {}
    for key in ("name", "url", "telephone"):
        text = _text_of(value.get(key))
        if text:
            found[key] = text
    address = _address_of(value.get("address"))
    if address:
        found["address"] = address
    profiles = value.get("sameAs")
    listed = profiles if isinstance(profiles, list) else [profiles]
    same_as = [text for text in (_text_of(item) for item in listed[:50] if item) if text]
    if same_as:
        found["sameAs"] = list(dict.fromkeys(same_as))
    return found


def read_markup_types(facts: PageFacts, nodes: list[LexborNode]) -> None:
    """Record the types in microdata (``itemtype``) and RDFa (``typeof``), and an organization if JSON-LD names none."""
    for node in nodes[:2000]:
        attributes = node.attributes
        written = f"{attributes.get('itemtype') or ''} {attributes.get('typeof') or ''}".split(None, _MOST_NAMES)
        written = written[:_MOST_NAMES]
        names = [type_name(name) for name in written]
        add_types(facts, names)
        if facts.organization is None and not ORGANIZATION_TYPES.isdisjoint(names):
            facts.organization = _organization_of_markup(node)


def _is_item(node: LexborNode) -> bool:
    return not _ITEM_MARKS.isdisjoint(node.attributes)


def _holder(node: LexborNode) -> LexborNode | None:
    """Return the item that a property belongs to: its nearest ancestor that is an item."""
    current = node.parent
    for _ in range(MAX_LEVELS):
        if current is None or not current.is_element_node:
            return None
        if _is_item(current):
            return current
        current = current.parent
    return None


def _is_own(child: LexborNode, node: LexborNode) -> bool:
    """Whether a property inside an item belongs to that item or to its address, not to another object inside it."""
    holder = _holder(child)
    if holder is None or holder.mem_id == node.mem_id:
        return True
    named = holder.attributes.get("itemprop") or holder.attributes.get("property") or ""
    around = _holder(holder) if "address" in [type_name(name) for name in named.split(None, 5)[:5]] else None
    return around is not None and around.mem_id == node.mem_id


def _organization_of_markup(node: LexborNode) -> Organization:
    found: dict[str, object] = {}
    same_as: list[str] = []
    address: dict[str, object] = {}
    for child in node.css("[itemprop],[property]")[:100]:
        # An element that is an item itself has properties, but no value.
        if _is_item(child) or not _is_own(child, node):
            continue
        attributes = child.attributes
        value = attributes.get("content") or attributes.get("href") or written_text(child, 300)
        for name in (attributes.get("itemprop") or attributes.get("property") or "").split(None, _MOST_NAMES)[
            :_MOST_NAMES
        ]:
            name = type_name(name)
            if name == "sameAs":
                same_as.append(value)
            elif name in _ADDRESS_PARTS:
                address.setdefault(name, value)
            else:
                found.setdefault(name, value)
    if address:
        found["address"] = address
    found["sameAs"] = same_as
    return organization_of(found)
