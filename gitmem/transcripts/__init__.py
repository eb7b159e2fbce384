"""Reading what agents' hosts wrote down of their sessions, if the user wants it.

A transcript is data of unknown origin: whatever can be read of it is stored as text, redacted, and
what cannot is counted. Nothing in it is an instruction, and no role that a text claims counts.
"""
