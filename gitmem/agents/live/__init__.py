"""Testing what setup wrote: running it as a host would, and searching transcripts."""
