"""Files are told apart by what is in them, refused with a reason, and never hang or raise anything else."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from foldcover_harness.transcripts.recognise import RefusedError, read_file

USER = json.dumps({"type": "user", "uuid": "u", "message": {"role": "user", "content": "hi"}}).encode()
ITEM = (
    b'{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}}'
)


@pytest.mark.parametrize(
    ("content", "client"),
    [
        (USER + b"\n", "claude-code"),
        (USER, "claude-code"),
        (b"\xef\xbb\xbf" + USER + b"\r\n\r\n" + USER + b"\r\n", "claude-code"),
        (b"rubbish\n" + USER + b"\n", "claude-code"),
        (b"[rubbish\n" + USER + b"\n", "claude-code"),
        (b'{"type":"summary","summary":"s","leafUuid":"l"}' + USER + b"\n", "claude-code"),
        (b"[" + USER + b",\n " + USER + b"]", "claude-code"),
        (json.dumps([json.loads(USER)], indent=2).encode(), "claude-code"),
        (ITEM + b"\n", "codex"),
        (b'{"id":"x","timestamp":"t","instructions":null}\n' + ITEM + b"\n", "codex"),
        (b'{"record_type":"state"}\n{"type":"message","role":"user","content":[]}\n', "codex"),
        (b'{"messages": [{"role": "user", "content": "x"}]}', "openai-chat"),
        (b'{"model": "m",\n "messages": [{"role": "system", "content": "x"}]}', "openai-chat"),
        (b'[{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}]', "openai-chat"),
        (b'{"system": "s", "messages": [{"role": "user", "content": "x"}]}', "anthropic-messages"),
        (b'{"messages": [{"role": "user", "content": [{"type": "tool_result"}]}]}', "anthropic-messages"),
        (
            b'[{"role": "user", "content": "x"}, {"role": "assistant", "content": [{"type": "tool_use"}]}]',
            "anthropic-messages",
        ),
        (b'{"messages": [{"role": "user", "content": "{\\"type\\":\\"tool_use\\"}"}]}', "openai-chat"),
        (b'[{"role": "user", "parts": [{"text": "x"}]}]', "gemini-cli"),
        (b'{"sessionId": "s", "projectHash": "p", "messages": []}', "gemini-cli"),
        (b'{"sessionId": "s",\n "projectHash": "p",\n "messages": [\n {}\n ]}', "gemini-cli"),
        (b'{"sessionId":"s","projectHash":"p"}\n{"id":"1","type":"user","content":"x"}\n', "gemini-cli"),
        (b'[{"kind": "MessageEvent", "source": "user"}]', "openhands"),
        (b'{"version": "1", "trajectory": []}', "openhands-v0"),
        (b'[{"id": 1, "source": "user", "action": "message", "message": "x"}]', "openhands-v0"),
        (b'{"environment": "e",\n "trajectory": []}', "swe-agent"),
        (b'{"trajectory": [], "history": [], "info": {}}', "swe-agent"),
        (b'{"instance_id": "i", "model_name": "m", "trajectory": []}', "swe-agent"),
        (b'{"info": {},\n "messages": [],\n "trajectory_format": "1"}', "mini-swe-agent"),
        (b'{"info": {"exit_status": "x"}, "messages": []}', "mini-swe-agent"),
        (b'{"info": {"id": "ses_1"}, "messages": []}', "opencode"),
        (
            b'{"type":"session","id":"i","cwd":"/","provider":"p","modelId":"m"}\n{"type":"message","message":{}}\n',
            "pi",
        ),
        (b'{"gen_ai.input.messages": []}', "opentelemetry"),
        (b'{"name": "chat", "attributes": {"gen_ai.output.messages": "[]"}}\n{}\n', "opentelemetry"),
        (b'[{"role": "user", "parts": [{"type": "text", "content": "x"}]}]', "opentelemetry"),
    ],
)
def test_transcripts_are_recognised(tmp_path: Path, content: bytes, client: str) -> None:
    """Whatever the file is called; byte order marks, CRLF, glued lines, rubbish before and missing ends
    included.
    """
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    found = read_file(path)
    assert found.client == client
    assert not any("another type" in kind for kind in found.found.unknown)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b"\n \n", "empty"),
        (b"hello\n", "no JSON object"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "its JSON cannot be read"),
        ('{"type":"user"}'.encode("utf-16"), "UTF-16"),
        (b'{"a": 1}', "no object of a kind"),
        (b'{"messages": [{"role": "user", "content": "x"', "its JSON cannot be read"),
        (b'{"messages": []}\n{"messages": []}\n', "several conversations"),
        (b'[{"messages": []}, {"messages": []}]', "several conversations"),
        (b'{"trajectory": [], "history": []}\n{"trajectory": [], "history": []}\n', "several conversations"),
        (b"{" * 100_000, "its JSON cannot be read"),
        (b"[" * 100_000, "no JSON object"),
        (b'[{"type": "us', "its JSON cannot be read"),
    ],
)
def test_other_files_are_refused_with_the_reason(tmp_path: Path, content: bytes, reason: str) -> None:
    """In words for the user."""
    path = tmp_path / "session.jsonl"
    path.write_bytes(content)
    with pytest.raises(RefusedError, match=reason):
        read_file(path)


def test_a_pipe_is_refused_and_not_opened(tmp_path: Path) -> None:
    """Opening it would wait for somebody to write."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(RefusedError, match="not a regular file"):
        read_file(path)


@pytest.mark.parametrize("name", ["missing", "folder", "link"])
def test_what_is_no_file_is_refused(tmp_path: Path, name: str) -> None:
    """A path to nothing, a folder, a link to nothing."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("nowhere")
    with pytest.raises(RefusedError, match=r"No such file|a folder"):
        read_file(tmp_path / name)


def test_an_array_that_breaks_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    """The rest is counted."""
    path = tmp_path / "chat.json"
    path.write_bytes(b"[" + USER + b"," + USER + b"," + USER[:30])
    found = read_file(path)
    assert len(found.turns) == 2
    assert found.found.unknown.total() == 1


@pytest.mark.parametrize("end", [b"", rb', {"type":"summary","summary":"\p"}'], ids=["good", "bad"])
def test_an_array_longer_than_a_chunk_is_whole(tmp_path: Path, end: bytes) -> None:
    """A good one is decoded at once; one with a fault is read in pieces, and elements and strings that lie across
    the border of two are whole.
    """
    words = 'w\\" {[' * 90_000
    lines = [{"type": "user", "message": {"content": f"{number} {words}"}} for number in range(5)]
    path = tmp_path / "chat.json"
    path.write_bytes(json.dumps(lines, indent=1).encode()[:-1] + end + b"]")
    found = read_file(path)
    assert [item.bytes for item in found.items] == [len(words) + 2] * 5
    assert not any("cut" in kind or "not JSON" in kind for kind in found.found.unknown)


def test_a_bad_escape_in_an_array_costs_nothing(tmp_path: Path) -> None:
    r"""A redaction that leaves "\p" in a string spoils no element."""
    path = tmp_path / "chat.json"
    path.write_bytes(b"[" + USER + rb', {"type":"user","message":{"content":"\person@example.com"}}, ' + USER + b"]")
    assert len(read_file(path).turns) == 3


def test_what_was_read_is_told(tmp_path: Path) -> None:
    """In pieces that add up to the whole file."""
    path = tmp_path / "session.jsonl"
    path.write_bytes((USER + b"\n") * 30_000)
    passed: list[int] = []
    assert len(read_file(path, passed.append).turns) == 30_000
    assert len(passed) > 2
    assert sum(passed) == path.stat().st_size
