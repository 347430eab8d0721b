"""The doctor for transcripts: what is wrong in a file, where, and which provider would refuse it."""
