"""Benchmarks of Gamehall: `python -m benchmarks [NAME...]`, from the root of the repository."""
