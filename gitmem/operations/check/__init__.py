"""Verbs that compare memories with plans, code and diffs."""
