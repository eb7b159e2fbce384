"""Putting gitmem into the files of hosts, and taking it out byte for byte."""
