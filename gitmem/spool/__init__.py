"""Append-only event logs with many writers, and the lease that admits one reader."""
