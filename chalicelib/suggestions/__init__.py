"""The exact new value for a page's title, description, canonical address or noindex, made by fixed rules.

One file per field makes candidates for one page, best first; ``choice`` then gives each page the first candidate
that no other page has or wants. Where no candidate passes, the page has no suggestion: none is better than a bad one.
Everything a suggestion says stands on the page itself.
"""
