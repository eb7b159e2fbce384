"""Wiring agents' hosts to gitmem: hosts are data, one writer puts them in place and takes them out.

``hosts`` is the table, ``places`` where things lie, ``shapes`` what is to stand there, ``pieces``
how that is put into a file and taken out, ``plan`` what to do, ``writing`` and ``manifest`` how it
is done so that every byte can be given back.
"""
