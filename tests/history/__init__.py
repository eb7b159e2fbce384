"""Tests of what the past says of code."""
