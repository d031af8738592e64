"""Tables of SEO-ONP-016."""

from tests.rules.builders import Case, case, page


def headed(*headings: tuple[int, str]) -> Case:
    return case(page(headings=list(headings), h1_count=sum(level == 1 for level, _ in headings)))


FAILS = {
    "two different ones": case(
        page(headings=[(1, "Tents"), (2, "Poles"), (1, "More tents")], h1_count=2),
        seen={"headings": ["Tents", "More tents"], "count": 2},
        says='"Tents" and "More tents"',
    ),
    "more than are kept": case(
        page(headings=[(1, f"Part {number}") for number in range(100)], h1_count=140),
        seen={"count": 100, "h1Count": 140},
        says="has 140 main headings (H1), at least 100 of them different",
    ),
    "one that begins with the name of its level": headed((1, "Tents"), (1, "H1 headings of tents")),
    "none that names the page": case(
        page(title="acme-tent - pitches a tent", headings=[(1, "NAME"), (1, "SYNOPSIS"), (1, "AUTHOR")], h1_count=3),
        says='"AUTHOR". None of them names the page. Add one that says what the page is about',
    ),
    "one that names the page after a stock heading": case(
        page(title="Zelte für Familien", headings=[(1, "Inhalt"), (1, "Unsere Zelte")], h1_count=2),
        says="Keep the one that says what the page is about",
    ),
    "none with a word of the title": case(
        page(title="purge", headings=[(1, "Your cache server"), (1, "Our settings")], h1_count=2),
        says="Keep the one that says what the page is about, or add one if none does, and make the others H2.",
    ),
    **{
        f"only prices: {prices}": case(
            page(title="Tents", headings=[(1, price) for price in prices.split(";")], h1_count=prices.count(";") + 1),
            says="All are prices or numbers, which do not say what the page is about.",
        )
        for prices in ("رایگان;$25;$ 50", "Free;19,99 EUR;€ 25/month", "1,024;98 %;4.5k", "CHF 20;30 kr")
    },
    "short words with numbers": case(
        page(title="Tents", headings=[(1, "Day 1"), (1, "Day 2")], h1_count=2), says="or add one if none does"
    ),
    "a price and a heading": case(
        page(title="Tents", headings=[(1, "$25"), (1, "3 tents for 4 people")], h1_count=2), says="Keep the one"
    ),
    "a heading and a sample that is a sentence": headed((1, "Tents"), (1, "Hello world of tents")),
    "parts that have numbers": headed((1, "Tents"), (1, "Part 1"), (2, "Part 4"), (3, "Part 6")),
    "an H2 with the same text, but no H3": headed((1, "Tents"), (1, "New poles"), (2, "New poles"), (3, "Carbon")),
    **{
        f"a sample that is the page's title: {title}": case(
            page(title=title, headings=[(1, "Tent talk"), (1, "Hello world!")], h1_count=2)
        )
        for title in ("Hello world!", "Hello World! – Tent talk")
    },
    "five": headed(*((1, f"Part {number}") for number in range(5))),
}
PASSES = {
    "one": headed((1, "Tents"), (2, "Poles")),
    "the same one twice": headed((1, "Tents"), (1, "TENTS")),
    "none": headed((2, "Poles")),
    "more samples": headed(
        (1, "Typography"), (1, "Hello, World!"), (1, "Display 4"), (1, "Lorem ipsum dolor"), (1, "Bootstrap heading")
    ),
    "samples of each level": headed((1, "Badges"), *((level, "Poles New") for level in range(1, 7))),
    "samples of three levels": headed((1, "Badges"), (2, "Sizes"), *((level, "Poles") for level in (1, 2, 3))),
    "samples with the number of their level": headed((1, "Sizes"), *((n, f"This is h{n}.") for n in range(1, 7))),
    "samples of which each has a number": headed((1, "Sizes"), *((n, f"Tent {n}") for n in range(1, 5))),
    "samples of a style guide": headed((1, "Typography"), (1, "h1. Bootstrap heading"), (1, "Heading 1"), (1, "<h1>")),
}
NOT_APPLICABLE = {
    "a page with noindex": case(page(headings=[(1, "A"), (1, "B")], h1_count=2, robots_meta=[("robots", "noindex")]))
}
TABLES = {"SEO-ONP-016": (FAILS, PASSES, NOT_APPLICABLE)}
