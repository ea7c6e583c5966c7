"""Clients of a server, over TCP: the address, the connection, and the driver of a session."""
