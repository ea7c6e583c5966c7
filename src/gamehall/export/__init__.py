"""Records as files for other programs: each module is one format."""
