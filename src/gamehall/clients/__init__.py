"""The drivers of clients: over TCP, and in the process of the hall."""
