"""Below the tools: framing, streams, one thread for the stores, which repository a call means."""
