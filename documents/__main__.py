"""``python -m documents`` (``make docs``) writes every generated document that is stale, and names it."""

from documents import files

for path in files.write():
    print(path.relative_to(files.ROOT))
