"""Logs of events that many processes append to, and the lease for their one reader."""
