"""Models: one answer to one request, whoever the provider is.

Read in this order: model (what a model is), choose (which one a name means), remote (one behind an address) with a
reader for each wire (anthropic, chat, responses), clients, errors, retrying; local (one in the process); then asking
and writing, which use them.
"""
