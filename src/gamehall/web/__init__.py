"""The web door: what people and programs see of the hall with a browser, or by HTTP."""
