"""Records as files that other programs read and write: each module is one format."""
