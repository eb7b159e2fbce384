"""Files on the disk: atomic writes, syncing, locks, and safe reading of untrusted files."""
