"""Models over the wire: one answer to one request, whoever the provider is."""
