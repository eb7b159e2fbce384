"""The rules for memories: fields, provenance, lifecycle, conflicts; without input or output."""
