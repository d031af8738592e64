"""Suggests the exact new value for a page's title, description, canonical address or noindex, by fixed rules.

There is one module per field. It makes candidates for one page, best first. The module ``choice`` then gives each page
the first candidate that no other page has or would get. If there is no such candidate, the page has no suggestion,
because no suggestion is better than a bad one. Every word of a suggestion comes from the page itself.
"""
