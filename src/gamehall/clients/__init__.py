"""Clients: the drivers of players over TCP and inside the server's process."""
