"""A headless Chromium, driven over its debugging pipe, for the tests of the HTML report."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PATIENCE = 120
"""Seconds without a word from Chromium after which a test fails instead of waiting on."""
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
)


class Browser:
    """One browser with one page. `complaints` are the console's errors and warnings and the scripts' exceptions,
    `asked` the addresses that the page asked for.
    """

    def __init__(self, folder: Path) -> None:
        read_ours, write_theirs = os.pipe()
        read_theirs, write_ours = os.pipe()
        # Chromium listens on descriptor 3 and speaks on 4.
        script = f'exec "$@" 3<&{read_theirs} 4>&{write_theirs}'
        self.process = subprocess.Popen(
            ["bash", "-c", script, "-", str(CHROMIUM), *FLAGS, f"--user-data-dir={folder}"],
            pass_fds=(read_theirs, write_theirs),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(read_theirs)
        os.close(write_theirs)
        self.inward = open(read_ours, "rb", buffering=0)  # noqa: SIM115
        self.outward = open(write_ours, "wb", buffering=0)  # noqa: SIM115
        self.rest = b""
        self.number = 0
        self.session: str | None = None
        self.complaints: list[str] = []
        self.asked: list[str] = []
        self.loaded = False
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.outward.close()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.inward.close()

    def call(self, method: str, **parameters: Any) -> Any:
        """Call a method of the DevTools protocol and return its result."""
        self.number += 1
        message: dict[str, Any] = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.outward.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self.next()
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]

    def next(self) -> dict[str, Any]:
        """Return the next message, noting what it tells."""
        while b"\0" not in self.rest:
            assert select.select([self.inward], [], [], PATIENCE)[0], f"Chromium said nothing for {PATIENCE} s"
            more = self.inward.read(1 << 16)
            assert more, "Chromium went away"
            self.rest += more
        text, _, self.rest = self.rest.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        told = message.get("params", {})
        match message.get("method"):
            case "Runtime.exceptionThrown":
                self.complaints.append(json.dumps(told["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if told["type"] in ("error", "warning", "assert"):
                self.complaints.append(json.dumps(told["args"]))
            case "Log.entryAdded" if told["entry"]["level"] in ("error", "warning"):
                self.complaints.append(told["entry"]["text"])
            case "Network.requestWillBeSent":
                self.asked.append(told["request"]["url"])
            case "Page.loadEventFired":
                self.loaded = True
            case _:
                pass
        return message

    def open(self, page: Path, width: int = 1280, dark: bool = False) -> None:
        """Open a file in a window so wide, and wait until its charts are drawn."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.loaded = False
        self.call("Page.navigate", url=page.as_uri())
        while not self.loaded:
            self.next()
        self.evaluate(
            "new Promise(done => { const look = () => [...document.querySelectorAll('.chart')]"
            ".every(each => each.querySelector('svg')) ? done(true) : requestAnimationFrame(look); look(); })"
        )

    def evaluate(self, script: str) -> Any:
        """Return the value of a JavaScript expression; a promise is waited for."""
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def press(self, key: str, code: int) -> None:
        """Press and release a key."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser with a profile of its own, or none where no Chromium is installed."""
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    with Browser(tmp_path_factory.mktemp("chromium")) as found:
        yield found
