"""The generated documents: one module for each, and ``__main__`` (``make docs``) that writes them all.

Facts about the code are generated from the code: rules, endpoints, error codes, settings, webhook bodies. A page that
people write has such a part between two marks, ``<!-- generated: name -->`` and ``<!-- end -->``; they write everything
outside them. ``make check`` fails if a file differs from the output of these modules.
"""
