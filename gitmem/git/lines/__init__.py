"""Lines of files in git: patches, and how lines came and went in the history."""
