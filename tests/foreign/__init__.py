"""Clients in C and Perl, written from PROTOCOL.md of each door alone, and games between them."""
