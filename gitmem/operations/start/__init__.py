"""Verbs to set up and begin: init, setup, orient, status."""
