"""The generated documents: one module for each document, and ``__main__`` (``make docs``), which writes all of them.

Facts about the code are generated from the code: rules, endpoints, error codes, settings, webhook bodies. In a
hand-written page, a generated part is between two comments, ``<!-- generated: name -->`` and ``<!-- end -->``; people
write everything outside of them. ``make check`` fails if a file differs from the output of these modules.
"""
