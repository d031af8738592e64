"""Tables of SEO-CON-005."""

from tests.rules.builders import case, page

LOREM = ("lorem", "Lorem ipsum dolor sit amet")
POST = "Welcome to WordPress. This is your first post. Edit or delete it, then start writing!"

FAILS = {
    "filler text": case(
        page(placeholders=[LOREM]),
        seen={"placeholders": [{"kind": "lorem", "text": "Lorem ipsum dolor sit amet"}]},
        says="filler text",
    ),
    "template code": case(page(placeholders=[("template", "{{ product.care }}")]), says="{{ product.care }}"),
    "a shortcode and markup": case(
        page(placeholders=[("shortcode", '[gallery ids="1,2"]'), ("markdown", "[here](https://example.com/)")]),
        says="1 more place",
    ),
    "template code in the title": case(page(title="{{ page.title }} | Example"), says="{{ page.title }}"),
    "template code in the description": case(page(description="All about {% block topic %}.")),
    "the sample post": case(page(text=POST), seen={"advice": "Delete the sample post, or replace it by a real one."}),
    "the sample post in German": case(
        page(text="Willkommen bei WordPress. Dies ist dein erster Beitrag. Bearbeite oder lösche ihn.")
    ),
}
PASSES = {
    "no placeholder": case(page()),
    "a page about filler text": case(page(title="Where does lorem ipsum come from?", placeholders=[LOREM])),
    "a heading about filler text": case(page(headings=[(1, "Lorem ipsum generator")], placeholders=[LOREM])),
    "a page about WordPress": case(
        page(text="Welcome to WordPress hosting by Example. Your first post is a click away.")
    ),
    "one brace in the title": case(page(title="What { means in CSS")),
}
NOT_APPLICABLE = {"a page with noindex": case(page(placeholders=[LOREM], robots_meta=[("robots", "noindex")]))}
TABLES = {"SEO-CON-005": (FAILS, PASSES, NOT_APPLICABLE)}
