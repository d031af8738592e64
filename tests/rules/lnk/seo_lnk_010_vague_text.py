"""Tables of SEO-LNK-010."""

from chalicelib.domain.page.facts import LINK_LABELLED, Link
from tests.rules.builders import Case, address, case, links, page


def saying(*texts: str, flags: int = 0) -> Case:
    named = [Link(address(f"/{number}"), text, flags) for number, text in enumerate(texts)]
    return case(page("/a", links=[Link(address("/"), "Home"), *named]))


FAILS = {
    "three": case(
        page("/a", links=[Link(address(f"/to-{text}"), text) for text in ("Read more", "click here", "here")]),
        seen={"links": 3},
        says='"Read more"',
    ),
    "with arrows": saying("Read more »", "Learn more →", "[…] More"),
    "German": saying("Hier klicken", "weiterlesen", "Mehr erfahren"),
    "French": saying("En savoir plus", "Lire la suite", "Cliquez ici"),
    "Spanish": saying("Leer más", "Haz clic aquí", "Ver más"),
    "Italian": saying("Leggi tutto", "Scopri di più", "Clicca qui"),
    "Dutch": saying("Lees meer", "Klik hier", "meer info"),
    "Portuguese": saying("Saiba mais", "Leia mais", "Clique aqui"),
    "Polish": saying("Czytaj więcej", "Kliknij tutaj", "Zobacz więcej"),
    "Swedish, Danish, Czech": saying("Läs mer", "Læs mere", "Více"),
    "Russian": saying("Подробнее", "Читать далее", "Здесь"),
    "to pages whose titles say more": case(
        page("/a", links=[Link(address(f"/{number}"), "Details") for number in range(3)]),
        *(page(f"/{number}", title=f"Details of tent {number}") for number in range(3)),
    ),
    "to folders of the same name": case(
        page("/a", links=[Link(address(f"/jobs/{number}/details"), "Details") for number in range(3)]),
    ),
    "to pages that the navigation names": case(
        page("/a", links=links("/x", "/y", "/z"), vague_links=[(address(f"/{name}"), "click here") for name in "xyz"]),
        seen={"links": 3},
    ),
}
PASSES = {
    "two": saying("Read more", "click here"),
    "meaningful": saying("Read more about tents", "Our sleeping bags", "The Polish market"),
    "labelled for screen readers": saying("Read more", "Read more", "Read more", flags=LINK_LABELLED),
    "names of the pages that they lead to": case(
        page("/a", links=[Link(address(f"/{name}"), name) for name in ("more", "link", "go")]),
        page("/more", title="more"),
        page("/link", title="LINK"),
    ),
    "names of parts of the paths that they lead to": case(
        page("/a", links=[Link(address(f"/mode/{name}/index.html"), name) for name in ("Go", "here", "more")]),
    ),
    "names of which the paths have the plural": case(
        page("/a", links=[Link(address(f"/classes/{name}s.html"), name) for name in ("Link", "Go", "more")]),
    ),
    "names before the ending of all titles": case(
        page("/a", links=[Link(address(f"/{name}"), name, 0) for name in ("more", "here", "plus")]),
        page("/more", title="More | Manual"),
        page("/here", title="Here | Manual"),
        *(page(f"/{name}", title=f"{name} | Manual") for name in ("cat", "tail", "head", "less", "sort")),
    ),
    "without text": saying("", "", ""),
}
NOT_APPLICABLE = {
    "no links": case(page("/a")),
    "noindex": case(page("/a", links=[Link(address("/b"), "here")], robots_meta=[("robots", "noindex")])),
}
TABLES = {"SEO-LNK-010": (FAILS, PASSES, NOT_APPLICABLE)}
