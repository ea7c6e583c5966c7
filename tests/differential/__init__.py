"""Compare the rules with independent implementations: other engines and the naive oracles."""
