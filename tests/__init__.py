"""The tests, beside the program and in its order."""

import sys

# A caller may forbid Python to keep what it compiled. Pytest rewrites the asserts of each test and
# of each plugin (hypothesis is one), and would do it in every process of every run.
sys.dont_write_bytecode = False
