"""Git's hooks: lines that note what git did, and the reading of what they noted.

A hook appends one line to a spool and leaves; a drain reads the spool later, beside the user's
work. ``git_hooks`` puts the lines in place and takes them out again, ``spool`` and ``lease`` are
the drain's side, ``blocks`` and ``shims`` are pure text.
"""
