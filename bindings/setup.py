"""Names the script that compiles the C core. All else is in pyproject.toml."""

from setuptools import setup

setup(cffi_modules=["build_ffi.py:builder"])
