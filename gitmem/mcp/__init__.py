"""Serving agents over MCP: a thin reader of the table of operations."""
