"""How the built-in table is made; needs numpy and the teacher's weights, never imported at run time."""
