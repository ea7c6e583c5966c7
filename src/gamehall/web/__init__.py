"""The web door: pages for browsers, and the HTTP API."""
