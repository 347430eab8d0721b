"""Readers: each turns one client's transcript into the same neutral conversation (see `model`)."""
