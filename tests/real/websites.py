"""The websites that the harness audits, as data: manuals as Debian packages them, templates of websites from npm, and
WordPress in three themes."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.real import blog, parts, wordpress
from tests.real.serving import served


@dataclass(frozen=True, slots=True)
class Manual:
    """A folder of HTML pages. ``first`` is the address from which it is audited; ``small``: part of the small set."""

    name: str
    package: str
    folder: str
    make: str
    pages: int  # the page budget
    first: str = "/"
    small: int = 0  # the page budget in the small set; 0: not part of it

    @property
    def packages(self) -> tuple[str, ...]:
        return (self.package,)

    @contextmanager
    def served(self) -> Iterator[str]:
        """The address of its first page, while it is served. Ends the test where the package cannot be had."""
        parts.debian(self.package)
        folder = Path(self.folder)
        if not folder.is_dir():
            parts.missing(f"{self.package}: installed, but without {self.folder} (documents left out of packages?)")
        with served(folder) as base:
            yield base + self.first


@dataclass(frozen=True, slots=True)
class Template:
    """A website that is sold as a template, from npm. ``package``: name and version; ``folder``: inside the package."""

    name: str
    package: str
    folder: str
    make: str
    pages: int
    small: int = 0
    packages: tuple[str, ...] = ()  # Debian's

    @contextmanager
    def served(self) -> Iterator[str]:
        """The address of its first page, while it is served. Ends the test where the package cannot be had."""
        modules = parts.npm(self.package, name=self.name)
        with served(modules / self.package.rpartition("@")[0] / self.folder) as base:
            yield base + "/"


@dataclass(frozen=True, slots=True)
class Blog:
    """A WordPress website in one theme, with that many ``articles``."""

    name: str
    theme: str
    pages: int
    articles: int = 60
    small: int = 0
    make: str = "WordPress"
    packages: tuple[str, ...] = (*blog.PACKAGES, *wordpress.PACKAGES)

    @contextmanager
    def served(self) -> Iterator[str]:
        with blog.published(self.theme, self.articles) as base:
            yield base + "/"


Listed = Manual | Template | Blog

WEBSITES: tuple[Listed, ...] = (
    Manual("sqlalchemy", "python-sqlalchemy-doc", "/usr/share/doc/python-sqlalchemy-doc/html", "Sphinx", 300),
    Manual("mkdocs", "mkdocs-doc", "/usr/share/doc/mkdocs/html", "MkDocs", 100, small=100),
    Manual("sfml", "libsfml-doc", "/usr/share/doc/libsfml-dev/html", "Doxygen", 300, small=120),
    Manual("junit", "junit4-doc", "/usr/share/doc/junit4/api", "Javadoc", 400, small=120),
    Manual("glib", "libglib2.0-doc", "/usr/share/gtk-doc/html/glib", "gtk-doc", 150, small=100),
    Manual("adwaita", "libadwaita-1-doc", "/usr/share/doc/libadwaita-1", "gi-docgen", 400),
    Manual("sbcl", "sbcl-doc", "/usr/share/doc/sbcl/sbcl-internals", "Texinfo", 100, small=100),
    Manual("ffmpeg", "ffmpeg-doc", "/usr/share/doc/ffmpeg/manual", "Texinfo, one page a manual", 60),
    Manual("sqlite", "sqlite3-doc", "/usr/share/doc/sqlite3", "hand-written and own scripts", 600, small=150),
    Manual("stl", "stl-manual", "/usr/share/doc/stl-manual/html", "hand-written, 1990s", 400, small=120),
    Manual("git", "git-doc", "/usr/share/doc/git-doc", "AsciiDoc", 300, small=120),
    Manual("maint-guide-fr", "maint-guide-fr", "/usr/share/doc/maint-guide-fr/html", "DocBook, French", 50,
           "/index.fr.html", small=50),
    Manual("handbook-de", "debian-handbook", "/usr/share/doc/debian-handbook/html/de-DE", "Publican, German", 200),
    Manual("yard", "yard-doc", "/usr/share/doc/yard/doc", "YARD", 300),
    Manual("haddock", "libghc-haddock-library-doc", "/usr/share/doc/libghc-haddock-library-doc/html", "Haddock", 50,
           small=50),
    Manual("erlang", "erlang-doc", "/usr/share/doc/erlang-doc", "EDoc and XSLT", 400, "/doc/index.html"),
    Manual("rust-std", "rust-doc", "/usr/share/doc/rust-doc/html", "rustdoc", 400, "/std/index.html"),
    Manual("rust-book", "rust-doc", "/usr/share/doc/rust-doc/html/book", "mdBook", 200),
    Manual("gimp-ja", "gimp-help-ja", "/usr/share/gimp/2.0/help/ja", "DocBook as XHTML, Japanese", 400),
    Manual("swi-prolog", "swi-prolog-doc", "/usr/share/swi-prolog/doc", "LaTeX to HTML", 300, "/Manual/index.html"),
    Manual("libtiff", "libtiff-doc", "/usr/share/doc/libtiff-doc/manual", "Sphinx, Read the Docs", 200),
    Manual("apache-fr", "apache2-doc", "/usr/share/doc/apache2-doc/manual", "XSLT, eleven languages", 300, "/fr/",
           small=120),
    Manual("exim", "exim4-doc-html", "/usr/share/doc/exim4-doc-html/spec_html", "XSLT of SDoP", 140),
    Manual("nim", "nim-doc", "/usr/share/doc/nim/html", "Nim's docgen", 150),
    Manual("racket", "racket-doc", "/usr/share/doc/racket", "Scribble", 200),
    Manual("tomcat", "tomcat10-docs", "/usr/share/tomcat10-docs/docs", "XSLT of XML", 120),
    Manual("aptitude-ru", "aptitude-doc-ru", "/usr/share/doc/aptitude/html/ru", "DocBook, Russian", 100),
    Manual("shorewall", "shorewall-doc", "/usr/share/doc/shorewall-doc/html", "DocBook, chunked by article", 150),
    Template("landkit", "landkit@2.0.0", "dist", "Bootstrap, by gulp", 120),
    Template("soft-ui", "soft-ui-design-system@1.0.4", "", "Bootstrap, by hand", 60),
    Blog("wordpress-2021", "twentytwentyone", 200, small=60),
    Blog("wordpress-2022", "twentytwentytwo", 200),
    Blog("wordpress-2023", "twentytwentythree", 200),
)  # fmt: skip

# Nothing is tuned on these: they are read once, after everything else was finished, by whoever did not write the rules.
APART: tuple[Listed, ...] = (
    Manual(
        "install-el", "installation-guide-amd64", "/usr/share/doc/installation-guide-amd64/el", "DocBook, Greek", 150
    ),
    Manual("privoxy", "privoxy", "/usr/share/doc/privoxy", "DocBook SGML", 60),
    Template("clean-blog", "startbootstrap-clean-blog@6.0.9", "dist", "Bootstrap, by Pug", 40),
    Template("business-casual", "startbootstrap-business-casual@7.0.9", "dist", "Bootstrap, by Pug", 40),
)  # fmt: skip
