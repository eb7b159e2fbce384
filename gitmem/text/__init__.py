"""Operations on text: removing secrets, splitting words, fencing data, editing configuration.

Pure functions on strings and bytes; nothing here reads a file, the environment or the clock.
"""
