"""The pages and the report in a real Chromium."""
