"""SEO-SCH-004: product, article, recipe or event pages without structured data of that type."""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from chalicelib.rules.context import Page, Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.wording import part, spelled

LEAST_PAGES: Final = 5
LEAST_SHARE: Final = 0.2

TYPES: Final[Mapping[str, frozenset[str]]] = {
    "product": frozenset("Product ProductGroup ProductModel IndividualProduct Vehicle Car Book".split()),
    "article": frozenset(
        "Article BlogPosting NewsArticle TechArticle ScholarlyArticle Report LiveBlogPosting SocialMediaPosting"
        " AdvertiserContentArticle SatiricalArticle HowTo QAPage FAQPage".split()
    ),
    "recipe": frozenset(["Recipe"]),
    "event": frozenset(
        "Event BusinessEvent ChildrensEvent ComedyEvent CourseInstance DanceEvent DeliveryEvent EducationEvent"
        " ExhibitionEvent Festival FoodEvent Hackathon LiteraryEvent MusicEvent PublicationEvent SaleEvent"
        " ScreeningEvent SocialEvent SportsEvent TheaterEvent VisualArtsEvent".split()
    ),
}
# Kinds by folder of a template's pages, used if nothing else shows the kind.
_FOLDERS: Final[Mapping[str, str]] = {
    folder: kind
    for kind, folders in {
        "product": "product products produkt produkte produit produits producto productos prodotto prodotti producten",
        "article": "blog news magazine magazin article articles artikel posts aktuelles actualites noticias nieuws",
        "recipe": "recipe recipes rezept rezepte recette recettes receta recetas ricetta ricette recept recepten",
        "event": "event events veranstaltung veranstaltungen evenement evenements evento eventos eventi evenementen",
    }.items()
    for folder in folders.split()
}
_ONE_FOLDER: Final = re.compile(r"/([^/*?]+)/\*")
_WANTED: Final[Mapping[str, str]] = {
    "product": "Product",
    "article": "Article or BlogPosting",
    "recipe": "Recipe",
    "event": "Event",
}


class Template(NamedTuple):
    """A template of products, articles, recipes or events.

    ``typed``: how many pages of the template have structured data of this kind of content.
    """

    kind: str
    pages: int
    typed: int


def kind_of(template: str) -> str | None:
    """Return the kind of content (product, article, recipe or event) that the pages of a template have. It is
    recognised by the template's name or the pages' folder. Returns None for pages of other kinds."""
    if template in TYPES:
        return template
    folder = _ONE_FOLDER.fullmatch(template)  # deeper pages are usually lists
    return _FOLDERS.get(folder[1].lower()) if folder else None


def typed_templates(site: Site) -> dict[str, Template]:
    """Return, by name, the templates whose pages should have structured data of their kind of content."""
    result: dict[str, Template] = {}
    for address in site.indexable():
        kind = kind_of(address.template) if address.template else None
        if kind is None or address.template is None:
            continue
        so_far = result.get(address.template, Template(kind, 0, 0))
        typed = not TYPES[kind].isdisjoint(address.content_types)
        result[address.template] = Template(kind, so_far.pages + 1, so_far.typed + typed)
    return result


def check(page: Page, site: Site) -> PageVerdict:
    template = site.once(typed_templates).get(page.template or "")
    if template is None or template.pages < LEAST_PAGES:
        return NOT_APPLICABLE
    if template.typed >= LEAST_SHARE * template.pages:
        return None
    if not TYPES[template.kind].isdisjoint(page.facts.structured_types):
        return None
    pages = f"{template.pages} {template.kind} pages ({page.template})"
    if template.typed:
        seen = f"Only {template.typed} of {pages} say in structured data what they are, and this page does not"
    else:
        seen = f"None of the {pages} says in structured data what it is"
    return Finding(
        f"{seen}; add {_WANTED[template.kind]} as JSON-LD to the template.",
        {
            "template": page.template,
            "kind": template.kind,
            "pages": template.pages,
            "withType": template.typed,
            "types": page.facts.structured_types,
        },
    )


RULE = Rule(
    id="SEO-SCH-004",
    title="Template has no structured data",
    category="SCH",
    severity="low",
    confidence="likely",
    scope="page",
    population="indexable",
    weight=6,
    effort="medium",
    writable_field=None,
    what=f"Fewer than one in {spelled(round(1 / LEAST_SHARE))} pages of a product, article, recipe or event template "
    "have structured data of that type.",
    why="Structured data puts prices, ratings, dates or cooking times into search results. It also tells assistants "
    "what a page is about.",
    fix="Add the type to the template once, filled from the fields of the CMS. Most shop systems and SEO plugins can "
    "do it. Then test one page with a search engine's rich results test.",
    not_when=f"Other kinds of pages, and templates with fewer than {spelled(LEAST_PAGES)} pages, are left out. If "
    f"{part(LEAST_SHARE)} or more of a template's pages have the type, nothing is reported.",
    source="Search engines' gallery of rich results. This service set the limits.",
    page_check=check,
    cause=("template",),
)
