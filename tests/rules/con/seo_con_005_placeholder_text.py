"""Tables of SEO-CON-005."""

from tests.rules.builders import case, page

LOREM = ("lorem", "Lorem ipsum dolor sit amet")
POST = "Welcome to WordPress. This is your first post. Edit or delete it, then start writing!"

SAMPLES = {
    "WordPress, a page": "Sample Page This is an example page. It’s different from a blog post because it will stay in "
    "one place and will show up in your site navigation (in most themes).",
    "WordPress, a page in French": "Page d’exemple Ceci est une page d’exemple. C’est différent d’un article de blog.",
    "WordPress, a page in German": "Beispiel-Seite Dies ist eine Beispiel-Seite. Sie unterscheidet sich von Beiträgen.",
    "Joomla": "Getting Started It's easy to get started creating your website. Knowing some of the basics will help.",
    "Drupal": "Welcome to Example No front page content has been created yet. Follow the User Guide.",
    "Ghost": "Coming soon This is Example, a brand new site by Ada that's just getting started. Things will be up and "
    "running here shortly, but you can subscribe in the meantime.",
    "Jekyll": "You’ll find this post in your _posts directory. Go ahead and edit it and re-build the site.",
    "Jekyll, about": "This is the base Jekyll theme. You can find out more info about customizing your Jekyll theme.",
    "Hexo": "Hello World Welcome to Hexo! This is your very first post. Check documentation for more info.",
    "MediaWiki": "MediaWiki has been installed. Consult the User's Guide for information on using the wiki software.",
    "Gatsby": "Hi people Welcome to your new Gatsby site. Now go build something great.",
    "Wix": "About I'm a paragraph. Click here to add your own text and edit me. It's easy.",
    "nginx": "Welcome to nginx! If you see this page, the nginx web server is successfully installed and working.",
    "Apache": "It works! This is the default welcome page used to test the correct operation of the Apache2 server.",
}

FAILS = {
    "filler text": case(
        page(placeholders=[LOREM]),
        seen={"placeholders": [{"kind": "lorem", "text": "Lorem ipsum dolor sit amet", "where": "text"}]},
        says="filler text",
    ),
    "template code": case(page(placeholders=[("template", "{{ product.care }}")]), says="{{ product.care }}"),
    "a shortcode and markup": case(
        page(placeholders=[("shortcode", '[gallery ids="1,2"]'), ("markdown", "[here](https://example.com/)")]),
        says="and 1 other such text.",
    ),
    "template code in the title": case(
        page(title="{{ page.title }} | Example"),
        says='The title has template code that was not filled in: "{{ page.title }}"',
    ),
    "template code in the description": case(
        page(description="All about {% block topic %}."),
        seen={"placeholders": [{"kind": "template", "text": "{% block topic %}", "where": "description"}]},
        says="The meta description, which visitors of the page do not see, has template code",
    ),
    "filler text on a website whose name has such a word": case(
        page(title="Our team | Camp UI", placeholders=[LOREM]),
        *(page(f"/{number}", title=f"{number} tents | Camp UI") for number in range(9)),
    ),
    "template code in a guide of styles": case(
        page(title="Style guide", placeholders=[("template", "{{ page.name }}")])
    ),
    "a letter of a word": case(page(title="Build your tent", placeholders=[LOREM])),
    "the sample post": case(page(text=POST), seen={"advice": "Delete the sample post, or replace it by a real one."}),
    "the sample post in German": case(
        page(text="Willkommen bei WordPress. Dies ist dein erster Beitrag. Bearbeite oder lösche ihn.")
    ),
    **{f"the sample of {name}": case(page(text=text, words=150), says=text[:30]) for name, text in SAMPLES.items()},
}
PASSES = {
    "no placeholder": case(page()),
    "a page about filler text": case(page(title="Where does lorem ipsum come from?", placeholders=[LOREM])),
    "a heading about filler text": case(page(headings=[(1, "Lorem ipsum generator")], placeholders=[LOREM])),
    **{
        f"specimens of a design: {title}": case(page(title=title, placeholders=[LOREM]))
        for title in (
            "Typography - UI elements | Camp",
            "General UI",
            "Style Guide – Camp",
            "Kitchen sink",
            "Typografie",
        )
    },
    "specimens under such a heading": case(page(headings=[(1, "Pattern library")], placeholders=[LOREM])),
    "a page about WordPress": case(
        page(text="Welcome to WordPress hosting by Example. Your first post is a click away.")
    ),
    "one brace in the title": case(page(title="What { means in CSS")),
    "a title about templates": case(page(title="How to print {{ user.name }} in a template")),
    "a title with notation": case(page(title="Sets such as {{X}} and {{a, b}}")),
    "an article that quotes the sample page": case(page(text=SAMPLES["WordPress, a page"], words=900)),
    "a sample far below": case(page(text="word " * 200 + SAMPLES["Drupal"], words=220)),
}
PASSES |= {
    f"a part of a design: {path}, {title}": case(page(path, title=title, placeholders=[LOREM]))
    for path, title in (
        *(
            ("/pages/ui/list-group.html", "Camp"),
            ("/ui-elements/waves", "Waves"),
            ("/a", "Modals"),
            ("/a", "List Group"),
        ),
        *(
            ("/a", "Breadcrumbs"),
            ("/a", "Tooltips & Popovers"),
            ("/components/cards", "Camp"),
            ("/base/tabs.html", "Camp"),
        ),
        *(("/elements/a.html", "Buttons"), ("/demo/progress-bars.html", "Camp")),
    )
}
FAILS |= {
    f"no part of a design: {path}, {title}": case(page(path, title=title, placeholders=[LOREM]))
    for path, title in (
        *(("/shop/cards", "Cards"), ("/badges", "Badges"), ("/components/brakes", "Brakes"), ("/ui", "Camp")),
        *(("/a", "Modals in a sentence"), ("/build/tents", "Tents"), ("/elements/water", "Water")),
    )
}
THEME = tuple(page(f"/{name}") for name in ("modal.html", "list-group.html", "pagination/", "team.html"))
PASSES |= {
    f"a part of a design, on the website of a theme: {path}, {heading}": case(
        page(path, headings=[(1, heading)], placeholders=[LOREM]), *THEME
    )
    for path, heading in (("/card.html", "Card"), ("/a", "Tab"), ("/carousel/", "Slides"), ("/a", "Alerts"))
}
FAILS |= {
    f"no part of a design, on the website of a theme: {path}": case(
        page(path, headings=[(1, heading)], placeholders=[LOREM]), *THEME
    )
    for path, heading in (("/team.html", "Team"), ("/user-profile.html", "Ada Byron"), ("/a", "A card for you"))
}
FAILS["a shop with one such page"] = case(
    page("/cards", headings=[(1, "Cards")], placeholders=[LOREM]),
    *(page(f"/{name}") for name in ("pagination", "modal", "modals", "badges", "buttons")),
)
FAILS["template code on the page of a part"] = case(
    page("/ui/modals", title="Modals", placeholders=[("template", "{{ page.name }}")])
)
NOT_APPLICABLE = {"a page with noindex": case(page(placeholders=[LOREM], robots_meta=[("robots", "noindex")]))}
TABLES = {"SEO-CON-005": (FAILS, PASSES, NOT_APPLICABLE)}
