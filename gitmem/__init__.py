"""gitmem: the memory of a git repository."""

__version__ = "0.1.0"
