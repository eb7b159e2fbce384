"""Tool and argument names used by five other memory systems."""
