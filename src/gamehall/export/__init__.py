"""Export records for other programs: one module for each format."""
