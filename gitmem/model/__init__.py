"""The value types of gitmem: plain frozen classes, no input or output."""
