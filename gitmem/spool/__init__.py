"""Append-only event logs that anybody may write to, and the lease by which one reads."""
