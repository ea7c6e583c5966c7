"""A real browser at the pages of a server that runs as a process of its own."""
