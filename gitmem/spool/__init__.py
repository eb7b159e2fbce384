"""Append-only event logs that hooks write to, and the lease by which one process works one off."""
