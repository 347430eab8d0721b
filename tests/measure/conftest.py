"""Without the libraries of the extra there is nothing to test."""

from importlib.util import find_spec

if find_spec("bm25s") is None or find_spec("numpy") is None:
    collect_ignore_glob = ["test_*.py"]
