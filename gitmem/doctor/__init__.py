"""The checks of `gitmem doctor` on store, index and hooks, and their repairs."""
