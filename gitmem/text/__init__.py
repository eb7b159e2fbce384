"""Text as it comes in and goes out: secrets removed, words split, data fenced, files edited.

Pure functions on strings and bytes; nothing here reads a file, the environment or the clock.
"""
