"""Words for notices, numbers and abbreviations in eight languages.

The languages are English, German, French, Spanish, Italian, Dutch, Portuguese and Polish.
"""

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Beginnings of words (folded) that show a text about the website instead of the page: consent, log-in, newsletter,
# notices, placeholders. A paragraph with one of them is no description.
NOTICES: Final = tuple(
    (
        "cookie|your consent|cookie consent|gdpr|enable javascript|javascript is|javascript to be"
        "|requires javascript|without javascript"
        "|your browser|newsletter|subscribe to our|subscribe now|subscribe today|unsubscribe"
        "|all rights reserved|copyright|©"
        "|lorem ipsum|click here|read more|log in|sign in|sign up|share this|posted by|posted on|last updated"
        "|published on|written by|privacy policy|terms of service|error 404|404 not|page not found|add to cart"
        "|loading…|loading..."
        "|under construction|coming soon|page has moved|been moved|be redirected|automatically redirected"
        "|was introduced in|introduced in version|permission to use|permission is hereby|without warranty"
        "|the terms of the|no longer maintained|is outdated|is out of date|be out of date|be outdated"
        "|is obsolete|is deprecated|are deprecated|be deprecated"
        "|no longer supported|is moved to|has moved|is overloaded|is an overloaded|has been superseded|superseded by"
        "|may be used under|under the terms|licensed under|under license from|under licence from"
        "|definition at line|legacy interface|is preserved for|intended for internal|no description available"
        "|selon les termes|unter den bedingungen|según los términos"
        "|report a bug|edit this page|table of contents|skip to content|translation of this page|last modified"
        "|dolor sit amet|sample text|sample page|example page|placeholder|your text here|your content|insert text"
        "|welcome to wordpress|start writing|start blogging|hello world|just another wordpress"
        "|blindtext|mustertext|beispielseite|willkommen bei wordpress|willkommen zu wordpress|hier steht ihr"
        "|page d'exemple|exemple de page|bienvenue sur wordpress|bienvenue dans wordpress|texte d'exemple"
        "|página de ejemplo|bienvenido a wordpress|te damos la bienvenida a wordpress|texto de ejemplo"
        "|pagina di esempio|benvenuto in wordpress|testo di esempio|testo segnaposto"
        "|voorbeeldpagina|welkom bij wordpress|voorbeeldtekst|página de exemplo|bem-vindo ao wordpress"
        "|boas-vindas ao wordpress|texto de exemplo|przykładowa strona|witamy w wordpressie|przykładowy tekst"
        "|einwilligung|datenschutz|alle rechte vorbehalten|dein browser|ihr browser|anmelden|einloggen"
        "|weiterlesen|mehr erfahren|hier klicken|zuletzt aktualisiert|veröffentlicht am|geschrieben von"
        "|in den warenkorb"
        "|consentement|tous droits réservés|votre navigateur|s'abonner|abonnez-vous|connectez-vous|lire la suite"
        "|cliquez ici|publié le|publié par|mis à jour le|politique de confidentialité"
        "|consentimiento|todos los derechos reservados|tu navegador|su navegador|suscríbete|suscribirse|iniciar sesión"
        "|leer más|haz clic|publicado el|publicado por|última actualización|política de privacidad"
        "|consenso|tutti i diritti riservati|il tuo browser|iscriviti|accedi|leggi tutto|clicca qui|pubblicato il"
        "|ultimo aggiornamento|informativa sulla privacy"
        "|toestemming|alle rechten voorbehouden|je browser|uw browser|abonneer|inloggen|lees meer|lees verder"
        "|klik hier|geplaatst op|laatst bijgewerkt|privacybeleid"
        "|consentimento|todos os direitos reservados|seu navegador|o seu browser|inscreva-se|subscreva|entrar na conta"
        "|leia mais|ler mais|clique aqui|publicado em|última atualização|política de privacidade"
        "|wszelkie prawa zastrzeżone|ciasteczk|twoja przeglądarka|zapisz się|subskrybuj|zaloguj|czytaj więcej"
        "|kliknij tutaj|opublikowano|ostatnia aktualizacja|polityka prywatności"
    ).split("|")
)

# Number words (folded), which are no topic that sentences could share.
NUMBER_WORDS: Final = _words(
    "one two three four five six seven eight nine ten first second third"
    " eins zwei drei vier fünf sechs sieben acht neun zehn erste zweite dritte deux trois quatre cinq six sept huit"
    " neuf dix premier première dos tres cuatro cinco seis siete ocho nueve diez primero primera due"
    " tre quattro cinque sei"
    " sette otto nove dieci primo prima een twee drie vijf zes zeven acht negen tien eerste tweede dois três quatro"
    " sete oito dez primeiro primeira jeden dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć pierwszy"
)

# Folded words after which a full stop does not end a sentence.
ABBREVIATIONS: Final = _words(
    "e.g i.e etc vs mr mrs ms dr prof st no nos vol fig ed eds approx inc ltd co corp dept est max min pp"
    " z.b d.h u.a bzw usw ca nr str inkl zzgl evtl ggf abb bd hr fr hl jh tel"
    " p.ex m mme mlle ex env art av boul cf réf"
    " sr sra dra ud uds núm pág p.ej aprox av"
    " sig dott ing es ecc pag cap"
    " bijv o.a enz d.w.z m.b.t incl excl"
    " exmo ex.mo n.º tlf"
    " np m.in itd itp tzn ul al pl godz zł"
)
