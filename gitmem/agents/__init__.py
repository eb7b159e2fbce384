"""Agents and their hosts: wiring, the answers to their events, the proof that they arrive."""
