"""The pages of `gitmem serve`."""
