"""Sample texts that content systems, website builders and web servers publish by default.

Phrases are short beginnings of these texts, in lower case with straight apostrophes.
"""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

Kind = Literal["post", "page", "server"]

_WITHIN: Final = 600  # characters of the text in which a sample begins
MOST_WORDS: Final = 600  # sample pages are short; longer ones are about them, or quote them


class Sample(NamedTuple):
    """A sample text: the product that published it, and its kind. The kind is a ``post``, a ``page`` or the first page
    of a web ``server``."""

    system: str
    kind: Kind


_PHRASES: Final[Mapping[Sample, tuple[str, ...]]] = {
    Sample("WordPress", "post"): (
        "welcome to wordpress. this is your first post",
        "willkommen bei wordpress. dies ist dein erster beitrag",
        "willkommen zur deutschen version von wordpress. dies ist der erste beitrag",
        "bienvenue sur wordpress. ceci est votre premier article",
        "bienvenue dans wordpress. ceci est votre premier article",
        "te damos la bienvenida a wordpress. esta es tu primera entrada",
        "bienvenido a wordpress. esta es tu primer",
        "benvenuto in wordpress. questo è il tuo primo articolo",
        "benvenuti in wordpress. questo è il tuo primo articolo",
        "welkom bij wordpress. dit is je eerste bericht",
        "welkom bij wordpress. dit is een eerste voorbeeldbericht",
        "boas-vindas ao wordpress. este é o seu primeiro post",
        "bem-vindo ao wordpress. este é o seu primeiro",
        "bem-vindo ao wordpress. esse é o seu primeiro",
        "witamy w wordpressie. to jest twój pierwszy wpis",
        "witaj w wordpressie. to twój pierwszy wpis",
        "witaj w wordpressie. to jest twój pierwszy wpis",
        "välkommen till wordpress. det här är ditt första inlägg",
        "velkommen til wordpress. dette er dit første indlæg",
        "velkommen til wordpress. dette er ditt første innlegg",
        "vítejte ve wordpressu. toto je váš první",
        "добро пожаловать в wordpress. это ваша первая запись",
        "wordpress へようこそ。これは最初の投稿です",
        "欢迎使用wordpress。这是您的第一篇文章",
    ),
    Sample("WordPress", "page"): (
        "this is an example page. it's different from a blog post",
        "dies ist eine beispiel-seite. sie unterscheidet sich von",
        "ceci est une page d'exemple. c'est différent d'un article",
        "voici un exemple de page. elle est différente d'un article",
        "esta es una página de ejemplo. es diferente a un",
        "esto es una página de ejemplo. es diferente a un",
        "questa è una pagina di esempio. differisce da un articolo",
        "dit is een voorbeeldpagina. het is anders dan een blog",
        "dit is een voorbeeld pagina. het verschilt van een",
        "esta é uma página de exemplo. é diferente de um",
        "este é o exemplo de uma página. é diferente de um",
        "isto é um exemplo de página. é diferente de um",
        "to jest przykładowa strona. strony są inne niż wpisy",
        "detta är en exempelsida. den skiljer sig från ett",
        "dette er en eksempelside. den er forskellig fra et",
        "dette er en eksempelside. den er forskjellig fra et",
        "это пример страницы. от записей в блоге она отличается",
        "これはサンプルページです。同じ位置に固定され",
        "这是一个范例页面。它和博客文章不同",
    ),
    Sample("Joomla", "page"): (
        "it's easy to get started creating your website. knowing some of the basics will help",
        "this is a sample blog posting. if you log in to the site",
    ),
    Sample("Drupal", "page"): ("no front page content has been created yet",),
    Sample("Ghost", "post"): ("that's just getting started. things will be up and running here shortly",),
    Sample("Jekyll", "post"): ("you'll find this post in your _posts directory. go ahead and edit it",),
    Sample("Jekyll", "page"): ("this is the base jekyll theme. you can find out more info about customizing",),
    Sample("Hexo", "post"): ("welcome to hexo! this is your very first post",),
    Sample("MediaWiki", "page"): ("mediawiki has been installed. consult the user's guide",),
    Sample("Gatsby", "page"): ("welcome to your new gatsby site. now go build something great",),
    Sample("Wix", "page"): (
        "i'm a paragraph. click here to add your own text and edit me",
        "je suis un paragraphe. cliquez ici pour ajouter votre propre texte",
        "soy un párrafo. haz clic aquí para agregar tu propio texto",
    ),
    Sample("Apache", "server"): ("this is the default welcome page used to test the correct operation of the apache",),
    Sample("nginx", "server"): ("if you see this page, the nginx web server is successfully installed and working",),
}


def sample_in(text: str, words: int) -> Sample | None:
    """Return the sample that a page shows; None if it shows none. ``text``: the beginning of its main text, with single
    spaces. ``words``: the word count of the whole text."""
    if words > MOST_WORDS:
        return None
    beginning = text[:_WITHIN].lower().replace("’", "'")
    for sample, phrases in _PHRASES.items():
        for phrase in phrases:
            if phrase in beginning:
                return sample
    return None
