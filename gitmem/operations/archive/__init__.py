"""Verbs that archive memories, bring them back and purge them."""
