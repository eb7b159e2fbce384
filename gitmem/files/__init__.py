"""Files on the disk: written whole beside their place and moved there, locked by the kernel."""
