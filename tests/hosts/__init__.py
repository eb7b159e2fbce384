"""Real agent hosts, run against a model server that answers from a script.

What reaches the model is read from the requests themselves, so it is a fact and no reading of
documents. Not part of the ordinary run: ``pytest tests/hosts --hosts ROOT``, or ``python -m
tests.hosts`` to look at one run. ``ROOT/<agent>/node_modules`` holds each host, as ``python -m
tests.hosts --packages AGENT`` names it to npm; a host that is not there is skipped.
"""
