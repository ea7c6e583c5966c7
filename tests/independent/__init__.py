"""Clients written from the protocol documents alone, without a look at the server."""
