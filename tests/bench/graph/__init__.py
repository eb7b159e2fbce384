"""How good the edges of the code graph are, against what compilers and language servers say."""
