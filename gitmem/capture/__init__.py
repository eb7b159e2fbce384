"""Saving memories: provenance, layer, near duplicates, anchors, and suggestions."""
