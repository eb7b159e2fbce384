"""How the built-in table is made. Needs numpy and a teacher; never imported at run time."""
