"""Verbs that archive, restore and purge."""
