"""The MCP server for agents, whose tools are made from the table of operations."""
