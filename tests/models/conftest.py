"""No key, no address, no proxy and no profile of the machine: what a test asks is the test's own.

Without the providers' libraries only what needs none of them is left.
"""

from importlib.util import find_spec
from pathlib import Path

import pytest

if find_spec("anthropic") is None or find_spec("openai") is None:
    collect_ignore_glob = ["test_models_*.py"]

_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
_NAMES = tuple(f"{who}_{what}" for who in ("ANTHROPIC", "OPENAI") for what in ("API_KEY", "AUTH_TOKEN", "BASE_URL"))


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in (*_NAMES, *_PROXIES, *map(str.upper, _PROXIES)):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path))
    # No certificates: nothing here is signed, and reading the machine's costs more than a whole answer.
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
