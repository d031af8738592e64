"""``python -m documents`` (``make docs``) writes every generated document that is out of date, and prints its name."""

from documents import files

for path in files.write():
    print(path.relative_to(files.ROOT))
