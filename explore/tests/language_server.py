# SPDX-License-Identifier: MIT
"""A client of a language server, as an editor is one: JSON-RPC with headers over its standard input and output."""

import json
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Self

JSON_SERVER = "vscode-json-language-server"
"""The server of VS Code, which other editors use, too; npm has it in the package vscode-langservers-extracted."""


class LanguageServer:
    def __init__(self, program: str) -> None:
        self._process = subprocess.Popen([program, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._requests = 0
        self._told: list[dict[str, Any]] = []
        options = {"provideFormatter": False, "handledSchemaProtocols": ["file"]}
        item = {"snippetSupport": True, "documentationFormat": ["markdown", "plaintext"]}
        abilities = {"textDocument": {"completion": {"completionItem": item}, "publishDiagnostics": {}}}
        self._ask("initialize", processId=None, rootUri=None, capabilities=abilities, initializationOptions=options)
        self._tell("initialized")

    def open(self, path: Path, text: str) -> None:
        document = {"uri": path.as_uri(), "languageId": "json", "version": 1, "text": text}
        self._tell("textDocument/didOpen", textDocument=document)

    def faults(self, path: Path) -> list[tuple[int, str]]:
        """What it marks in a file that is open: lines, counted from 1, and messages."""
        while True:
            for message in self._told:
                if message["params"].get("uri") == path.as_uri():
                    return [
                        (each["range"]["start"]["line"] + 1, each["message"])
                        for each in message["params"]["diagnostics"]
                    ]
            self._hear()

    def completions(self, path: Path, text: str, after: str) -> dict[str, dict[str, Any]]:
        """What it offers behind the first place of `after` in the text of the open file, by label."""
        before = text[: text.index(after) + len(after)]
        position = {"line": before.count("\n"), "character": len(before) - before.rfind("\n") - 1}
        found = self._ask("textDocument/completion", textDocument={"uri": path.as_uri()}, position=position)
        return {each["label"]: each for each in found["items"]}

    def hover(self, path: Path, text: str, on: str) -> str:
        """What it shows about the first place of `on` in the text of the open file."""
        before = text[: text.index(on) + 1]
        position = {"line": before.count("\n"), "character": len(before) - before.rfind("\n") - 1}
        found = self._ask("textDocument/hover", textDocument={"uri": path.as_uri()}, position=position)
        contents = found["contents"]
        return "\n".join(contents) if isinstance(contents, list) else contents.get("value", "")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        self._process.kill()
        self._process.communicate()

    def _ask(self, method: str, **params: Any) -> Any:  # noqa: ANN401
        self._requests += 1
        self._send({"jsonrpc": "2.0", "id": self._requests, "method": method, "params": params})
        while True:
            heard = self._hear()
            if heard.get("id") == self._requests and "method" not in heard:
                assert "error" not in heard, heard
                return heard["result"]

    def _tell(self, method: str, **params: Any) -> None:  # noqa: ANN401
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps(message).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def _hear(self) -> dict[str, Any]:
        """The next message; what the server publishes of its own accord is kept, and its questions get no answer."""
        assert self._process.stdout is not None
        length = 0
        while line := self._process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        assert length, "the language server has ended"
        heard: dict[str, Any] = json.loads(self._process.stdout.read(length))
        if heard.get("method") == "textDocument/publishDiagnostics":
            self._told.append(heard)
        elif "method" in heard and "id" in heard:
            self._send({"jsonrpc": "2.0", "id": heard["id"], "result": None})
        return heard
