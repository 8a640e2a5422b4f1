"""Backups: made beside a running service, checked, and restored.

A place of backups (`place.py`) is such a directory, or a directory or bucket in which everything is
encrypted (`vault.py`).

A directory of backups holds the pictures of all of them once, and a directory for each backup, its
generation:

```
.lock                       held while somebody writes here, or reads
pictures/ab/ab….jpg         the pictures, and whose they are (`.installation`), as an image store
digests/ab                  the digests of those in pictures/ab
20261122T140330Z/
    database.dump           by pg_dump, in its custom format
    pictures.sha256         the pictures that its rows name, as `sha256sum --check` reads it
    manifest.json           the digests of the other two, and what a restore must know
.20261122T150000Z.partial/  a generation that is being made, or was when the backup was killed
```
"""
