# SPDX-License-Identifier: MIT
"""A page in headless Chromium, driven over a pipe (DevTools protocol), so that no further package is needed."""

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader, BufferedWriter
from pathlib import Path
from typing import Any, Self

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    """One tab."""

    def __init__(self, process: subprocess.Popen[bytes], to: BufferedWriter, from_: BufferedReader) -> None:
        self._process = process
        self._to, self._from = to, from_
        self._count = 0
        self._session = ""
        self._read_so_far = b""
        self.errors: list[str] = []
        """Exceptions, and what the page wrote as an error or a warning, or could not load."""

    def start(self) -> Self:
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        return self

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:  # noqa: ANN401  any JSON
        self._count += 1
        request: dict[str, Any] = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            request["sessionId"] = self._session
        self._to.write(json.dumps(request).encode() + b"\0")
        self._to.flush()
        while True:
            answer = self._read()
            if answer.get("id") == self._count:
                assert "error" not in answer, answer
                result = answer["result"]
                assert isinstance(result, dict)
                return result

    def open(
        self, page: Path, width: int = 1280, height: int = 900, dark: bool = False, media: str = "", rest_ms: int = 300
    ) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])
        self.call("Page.navigate", url=page.resolve().as_uri())
        while self._read().get("method") != "Page.loadEventFired":
            pass
        self.evaluate(f"new Promise(done => setTimeout(done, {rest_ms}))")

    def evaluate(self, expression: str) -> Any:  # noqa: ANN401  any JSON
        """The value of an expression in the page."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def picture(self, path: Path) -> None:
        """The whole page as a PNG."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(shot["data"]))

    def print(self, path: Path) -> None:
        """The page as it is printed."""
        printed = self.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69, printBackground=False)
        path.write_bytes(base64.b64decode(printed["data"]))

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._read_so_far:
            part = self._from.read1(1 << 20)
            assert part, "Chromium has ended"
            self._read_so_far += part
        text, _, self._read_so_far = self._read_so_far.partition(b"\0")
        message = json.loads(text)
        assert isinstance(message, dict)
        self._note(message)
        return message

    def _note(self, message: dict[str, Any]) -> None:
        parameters = message.get("params", {})
        match message.get("method"):
            case "Runtime.exceptionThrown":
                self.errors.append(json.dumps(parameters["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if parameters["type"] in ("error", "warning", "assert"):
                self.errors.append(json.dumps(parameters["args"]))
            case "Log.entryAdded" if parameters["entry"]["level"] in ("error", "warning"):
                self.errors.append(json.dumps(parameters["entry"]))
            case "Network.requestWillBeSent" if not parameters["request"]["url"].startswith(
                ("file:", "data:", "blob:")
            ):
                self.errors.append(f"asked the network for {parameters['request']['url']}")


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """Chromium with a profile in this folder."""
    assert CHROMIUM
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    options = "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars --remote-debugging-pipe"
    process = subprocess.Popen(
        # Chromium reads commands from descriptor 3 and answers on 4.
        [
            "bash",
            "-c",
            f'exec "$0" {options} --user-data-dir="$1" 3<&{theirs_in} 4>&{theirs_out}',
            CHROMIUM,
            str(folder),
        ],
        pass_fds=(theirs_in, theirs_out),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(theirs_in)
    os.close(theirs_out)
    try:
        with os.fdopen(ours_out, "wb") as to, os.fdopen(ours_in, "rb") as from_:
            yield Browser(process, to, from_).start()
    finally:
        process.terminate()
        process.wait(30)
