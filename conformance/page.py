"""Reads the head of a page like a visitor's browser."""

from html.parser import HTMLParser


class Head(HTMLParser):
    """Titles, descriptions, canonical addresses and robots directives of a page's head, with repetitions."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.titles: list[str] = []
        self.descriptions: list[str] = []
        self.canonicals: list[str] = []
        self.robots: list[str] = []
        self._in_title = False
        self.feed(text.partition("</head>")[0])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        name = given.get("name", "").lower()
        if tag == "title":
            self.titles.append("")
            self._in_title = True
        elif tag == "meta" and name == "description":
            self.descriptions.append(given.get("content", ""))
        elif tag == "meta" and name == "robots":
            self.robots += directives(given.get("content", ""))
        elif tag == "link" and given.get("rel", "").lower() == "canonical":
            self.canonicals.append(given.get("href", ""))

    def handle_endtag(self, tag: str) -> None:
        self._in_title = self._in_title and tag != "title"

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.titles[-1] += data

    def values(self, field: str) -> list[str]:
        """Every value that the page shows of a field of the protocol."""
        if field == "noindex":
            return ["true"] if "noindex" in self.robots else []
        return {"title": self.titles, "meta_description": self.descriptions, "canonical": self.canonicals}[field]


def directives(text: str) -> list[str]:
    """The directives of a robots meta tag or header, in lower case."""
    return [word.strip().lower() for word in text.split(",")]
