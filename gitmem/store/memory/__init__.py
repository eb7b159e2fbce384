"""The rows of memories: reading, writing, filtering, anchoring, linking and ending them."""
