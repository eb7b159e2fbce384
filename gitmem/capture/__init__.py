"""From what somebody said to a saved memory: provenance, layer, near duplicates, anchors."""
