"""The generated documents: one module for each, and ``__main__`` (``make docs``) that writes them all.

What a document says of the code is made from the code: rules, endpoints, error codes, settings, webhook bodies. A page
that people write holds such a part between two marks, ``<!-- generated: name -->`` and ``<!-- end -->``; everything
outside them is theirs. ``make check`` fails when a file is not what these modules make of it.
"""
