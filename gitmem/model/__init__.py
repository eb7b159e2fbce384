"""The value types that all packages share: plain frozen classes, no input or output."""
