"""Without the libraries of the extra only test_extra.py is left, which says that they are missing."""

from importlib.util import find_spec

if find_spec("bm25s") is None or find_spec("numpy") is None:
    collect_ignore_glob = ["test_measure_*.py"]
