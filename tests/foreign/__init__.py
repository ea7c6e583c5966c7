"""Clients in C and Perl, each written from its PROTOCOL.md alone, and games between them."""
