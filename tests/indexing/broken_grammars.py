"""A library that cannot be loaded."""

raise ImportError("its shared object is missing")
