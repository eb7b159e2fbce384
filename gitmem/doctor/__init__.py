"""The checks of `gitmem doctor`: what is wrong with store, index and hooks, and how to fix it."""
