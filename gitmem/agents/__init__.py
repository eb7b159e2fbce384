"""Connecting agents: writing the files of their hosts, answering hooks, testing both."""
