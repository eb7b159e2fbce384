"""Text as it comes in and goes out: secrets removed, size estimated, words split, data fenced.

Pure functions on strings; nothing here reads a file, the environment or the clock.
"""
