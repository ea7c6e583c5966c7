"""The rules against something independent: another engine, or a naive second implementation."""
