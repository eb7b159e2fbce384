"""Benchmarks, run by hand on an idle machine: ``python -m tests.bench``, or one by its name.

pytest does not collect them. Each prints a table and ends with status 1 where it is over its bar.
"""
