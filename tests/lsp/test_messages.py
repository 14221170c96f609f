"""Whatever is sent to the server, every request is answered and the server lives on."""

from __future__ import annotations

import asyncio
import json
import random
import threading
from collections.abc import Callable
from io import BytesIO
from time import process_time
from types import SimpleNamespace
from typing import Any

import pytest
from lsprotocol import types

from rulesdsl.author.lsp.server import MAX_DEPTH, MAX_MESSAGE, Cancelled, edited, received
from tests.errors.test_mistakes import FILES
from tests.lsp.raw import (
    EXIT,
    INITIALIZE,
    SHUTDOWN,
    Ended,
    asked,
    changed,
    conversation,
    framed,
    notice,
    opened,
    process,
    request,
)

PARSE_ERROR, INVALID_REQUEST, NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
NOT_INITIALIZED, CANCELLED, INTERNAL = -32002, -32800, -32603
RULES, MANIFEST = "memory:/box/game.rules", "memory:/box/game.yaml"


def served(*messages: Any) -> Ended:
    """A whole conversation, from the start to an end that must be orderly."""
    ended = conversation(INITIALIZE, *messages, SHUTDOWN, EXIT)
    assert (ended.code, ended.stderr) == (0, "")
    assert ended.result("last") is None
    return ended


@pytest.mark.parametrize(
    ("how", "messages", "code"),
    [
        (process, (INITIALIZE, SHUTDOWN, EXIT), 0),
        (process, (), 1),
        (conversation, (INITIALIZE, SHUTDOWN, EXIT), 0),
        (conversation, (INITIALIZE, EXIT), 1),
        (conversation, (EXIT,), 1),
        (conversation, (INITIALIZE, SHUTDOWN), 0),
        (conversation, (INITIALIZE,), 1),
        (conversation, (), 1),
        (conversation, (INITIALIZE, b"Content-Length: 100\r\n\r\n{"), 1),
    ],
)
def test_the_end_has_no_words_and_the_code_of_the_protocol(
    how: Callable[..., Ended], messages: tuple[Any, ...], code: int
) -> None:
    ended = how(*messages)
    assert (ended.code, ended.stderr) == (code, "")


def test_what_comes_at_the_wrong_time_is_refused() -> None:
    early, late = asked("early", 0, 0), asked("late", 0, 0)
    again = {**INITIALIZE, "id": "again"}
    unfit = {**INITIALIZE, "id": "unfit", "params": 5}
    odd = request("odd", "initialize", capabilities={}, rootUri="http://[")
    ended = conversation(early, SHUTDOWN, unfit, odd, again, {**SHUTDOWN, "id": 3}, late, EXIT)
    assert (ended.code, ended.stderr) == (0, "")
    assert ended.error("early") == ended.error("last") == NOT_INITIALIZED
    assert ended.error("unfit") == INVALID_PARAMS
    assert ended.result("odd")["capabilities"]["hoverProvider"]
    assert ended.error("again") == ended.error("late") == INVALID_REQUEST


def test_positions_that_do_not_fit_are_refused() -> None:
    odd: tuple[Any, ...] = (-1, 2**31, 10**30, 1.5e300, "x", None, [], {})
    lines = [asked(f"line {number}", each, 0) for number, each in enumerate(odd)]
    characters = [asked(f"character {number}", 0, each) for number, each in enumerate(odd)]
    ended = served(*lines, *characters, asked(2, 2**31 - 1, 2**31 - 1))
    for message in (*lines, *characters):
        assert ended.error(message["id"]) == INVALID_PARAMS
    assert ended.result(2) is None


def test_other_messages_that_do_not_fit_are_refused() -> None:
    call = {"jsonrpc": "2.0", "method": "textDocument/hover"}
    ended = served(
        {**call, "id": 2},
        {**call, "id": 3, "params": [1]},
        {**call, "id": 4, "method": "textDocument/nothing"},
        {**opened(RULES, ""), "id": 5},
        {**call, "id": 6, "method": 7},
        {**asked(8, 0, 0), "jsonrpc": "1.0"},
        request(9, "workspace/executeCommand", command="x"),
        {**call, "method": "nothing"},
        {"jsonrpc": "2.0", "id": 10, "result": None},
    )
    assert [ended.error(id) for id in (2, 3, 4, 5)] == [INVALID_PARAMS] * 2 + [NOT_FOUND] * 2
    assert [ended.error(id) for id in (6, 8)] == [INVALID_REQUEST] * 2
    assert ended.error(9) == INVALID_PARAMS
    assert set(ended.answers) == {1, 2, 3, 4, 5, 6, 8, 9, "last"}


NO_MESSAGES = (
    (b"\xff\xfe", PARSE_ERROR),
    (b"", PARSE_ERROR),
    (b'{"jsonrpc": "2.0"', PARSE_ERROR),
    (b'{"jsonrpc": "2.0", "id": 2, "method": "x", "params": NaN}', PARSE_ERROR),
    (b'{"jsonrpc": "2.0", "id": 2, "method": "x", "params": 1e999}', PARSE_ERROR),
    (b'{"jsonrpc": "2.0", "id": %s, "method": "x"}' % (b"9" * 5000), PARSE_ERROR),
    (b'{"jsonrpc": "2.0", "id": true, "method": "shutdown"}', INVALID_REQUEST),
    (b'{"jsonrpc": "2.0", "id": null, "method": "shutdown"}', INVALID_REQUEST),
    (b'{"jsonrpc": "2.0", "id": [], "method": "shutdown"}', INVALID_REQUEST),
    (b'[{"jsonrpc": "2.0", "id": 2, "method": "shutdown"}]', INVALID_REQUEST),
    (b"5", INVALID_REQUEST),
    (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), INVALID_REQUEST),
    (b"[" * 100_000, INVALID_REQUEST),
)


def test_bytes_that_are_no_message_are_answered_without_an_id() -> None:
    ended = served(*(framed(body) for body, _ in NO_MESSAGES), asked(2, 0, 0))
    codes = [each["error"]["code"] for each in ended.answers[None]]
    assert codes == [code for _, code in NO_MESSAGES]
    assert ended.result(2) is None


def test_after_a_wrong_header_the_next_message_is_found() -> None:
    wrong = (
        b"Content-Length: 10\r\n\r\n" + json.dumps(asked("lost", 0, 0)).encode(),
        b"Content-Length: 99999999999999999999\r\n\r\n",
        b"Content-Length: -5\r\n\r\n",
        b"Content-Length: ten\r\n\r\n",
        b"Content-Type: json\r\n\r\n",
        b"\xff" * 100_000 + b"\r\n\r\n",
        b"Content-Length: %d\r\n\r\n" % (MAX_MESSAGE + 1) + b" " * (MAX_MESSAGE + 1),
    )
    messages: list[Any] = []
    for number, bytes_ in enumerate(wrong, 2):
        messages += [bytes_, asked(number, 0, 0)]
    ended = served(*messages)
    assert [each["id"] for each in ended.told[1:-1]] == [
        each for number in range(2, len(wrong) + 2) for each in (None, number)
    ]


def test_headers_may_be_written_otherwise() -> None:
    body = json.dumps(asked(2, 0, 0)).encode()
    header = b"content-type: x; charset=utf-8\r\ncontent-length:%d\r\n\r\n" % len(body)
    assert served(header + body).result(2) is None


def test_a_request_can_be_cancelled_before_its_turn() -> None:
    named: tuple[Any, ...] = (3, "none", None, [])
    cancels = [notice("$/cancelRequest", id=each) for each in named]
    sent = [asked(2, 0, 0), asked(3, 0, 0), *cancels, asked(4, 0, 0)]

    async def came() -> list[Any]:
        stream = BytesIO(b"".join(framed(each) for each in sent))
        return [message async for message in received(stream)]

    with pytest.MonkeyPatch.context() as patch:  # all is read before the first is handled
        patch.setattr(threading, "Thread", lambda target, daemon: SimpleNamespace(start=target))
        first, cancelled, last = asyncio.run(came())
    assert (first, last) == (sent[0], sent[-1])
    assert isinstance(cancelled, Cancelled)
    ended = served(*sent)
    assert ended.answers[3][0].get("error", {}).get("code") in (None, CANCELLED)
    assert ended.result(2) is ended.result(4) is None


URIS = (
    *("untitled:a.rules", "http://host/a.yaml", "http://[", "a.rules", "", "file:"),
    *("file:a.rules", "file://", "file:///a%00b.rules", "file:///%", "file:///\ud800.rules"),
    *("\ud800", "file:///etc/passwd", "file:///dev/zero", "memory:/../../box/x.yaml"),
    f"file:///{'a' * 100_000}.rules",
)


def test_documents_with_any_uri_are_served() -> None:
    messages: list[Any] = []
    for number, uri in enumerate(URIS):
        document = {"uri": uri}
        messages += [
            asked(f"{number} before", 0, 0, uri),
            opened(uri, "ruleset: a\n"),
            asked(f"{number} at", 0, 0, uri),
            request(f"{number} folds", "textDocument/foldingRange", textDocument=document),
            request(f"{number} words", "textDocument/semanticTokens/full", textDocument=document),
            request(f"{number} names", "workspace/symbol", query=""),
            notice("textDocument/didClose", textDocument=document),
        ]
    ended = served(*messages)
    for message in messages:
        if "id" in message:
            ended.result(message["id"])
    assert not any("internal error" in json.dumps(each) for each in ended.told)


def test_documents_in_no_folder_belong_together() -> None:
    ended = served(
        opened(MANIFEST, FILES["game.yaml"]),
        opened(RULES, FILES["game.rules"].replace("f.well", "f.wel", 1)),
        asked(2, 0, 0, RULES),
    )
    told = [each["params"] for each in ended.told if "method" in each]
    assert {each["uri"] for each in told if each["diagnostics"]} == {RULES}


@pytest.mark.parametrize(
    ("start", "end", "becomes"),
    [
        ((0, 0), (0, 0), "X# \U0001f3f0\r\nab"),
        ((0, 2), (0, 4), "# X\r\nab"),
        ((0, 3), (0, 4), "# \U0001f3f0X\r\nab"),  # inside the pair
        ((0, 99), (9, 9), "# \U0001f3f0X"),
        ((99, 0), (99, 0), "# \U0001f3f0\r\nabX"),
        ((1, 2), (1, 1), "# \U0001f3f0\r\nabX"),
        ((2**31 - 1, 2**31 - 1), (0, 0), "# \U0001f3f0\r\nabX"),
    ],
)
def test_parts_of_a_text_may_be_changed_anywhere(
    start: tuple[int, int], end: tuple[int, int], becomes: str
) -> None:
    range_ = types.Range(types.Position(*start), types.Position(*end))
    change = types.TextDocumentContentChangePartial(range_, "X")
    assert edited("# \U0001f3f0\r\nab", [change]) == becomes
    whole = types.TextDocumentContentChangeWholeDocument("new")
    assert edited("old", [change, whole]) == "new"


def test_only_what_is_open_can_be_changed() -> None:
    ended = served(
        changed("untitled:a.rules", {"text": "value"}),
        request(2, "textDocument/foldingRange", textDocument={"uri": "untitled:a.rules"}),
    )
    assert len(ended.told) == 3
    assert ended.result(2) == []


LONG_TEXTS = (
    (RULES, "\n" * 300_000),
    (RULES, "value x() -> int: " + "(" * 100_000),
    (RULES, "[" * 300_000),
    (RULES, "#" * 1_100_000),
    (MANIFEST, "ruleset: a\nx: " + "[" * 300_000),
    (MANIFEST, "ruleset: a\nx: " + "{a: " * 5_000),
)


def test_long_and_deeply_nested_texts_are_served() -> None:
    messages: list[Any] = []
    for number, (uri, text) in enumerate(LONG_TEXTS):
        end = {"line": 10**6, "character": 10**6}
        messages.append(opened(uri, text))
        messages += [
            {**each, "id": f"{each['method']} {number}"}
            for each in plain(uri)
            if each["method"].startswith("textDocument/") and "id" in each
        ]
        at_end = {"textDocument": {"uri": uri}, "position": end}
        messages.append(request(f"end {number}", "textDocument/completion", **at_end))
    before = process_time()
    ended = served(*messages)
    after = process_time()
    assert [each["id"] for each in messages if each.get("id", 1) not in ended.answers] == []
    assert not any("internal error" in json.dumps(each) for each in ended.told)
    assert after - before < 40


OPTIONS = {"tabSize": 4, "insertSpaces": True}
HOSTILE: tuple[Any, ...] = (
    *(None, True, -1, 0, 2**31, 10**40, 0.5, "", "x", "\ud800", "a" * 5000, [], {}, [[]], [None]),
    *({"line": -1}, {"uri": 5}, "file:///%00", "untitled:x.rules", {"": ""}, [{}] * 50),
)


def plain(uri: str = RULES) -> list[Any]:
    """A message of every kind that the server knows, none of which fails."""
    document, place = {"uri": uri}, {"line": 3, "character": 9}
    range_ = {"start": place, "end": {"line": 4, "character": 0}}
    found = {"range": range_, "message": "did you mean `x`?", "source": "rulesdsl", "code": "a"}
    at = {"textDocument": document, "position": place}
    return [
        opened(RULES, FILES["game.rules"]),
        changed(RULES, {"text": FILES["game.rules"] + "\n"}),
        changed(RULES, {"text": "#", "range": {"start": place, "end": place}}),
        changed(MANIFEST, {"text": FILES["game.yaml"]}),
        notice("textDocument/didClose", textDocument={"uri": "untitled:x.rules"}),
        notice("textDocument/didSave", textDocument=document),
        notice("workspace/didChangeWatchedFiles", changes=[{"uri": RULES, "type": 2}]),
        notice("workspace/didChangeWorkspaceFolders", event={"added": [], "removed": []}),
        notice("$/setTrace", value="verbose"),
        notice("$/cancelRequest", id=4),
        *(
            request(0, f"textDocument/{method}", **at)
            for method in ("hover", "definition", "implementation", "documentHighlight")
        ),
        request(0, "textDocument/references", context={"includeDeclaration": True}, **at),
        request(0, "textDocument/prepareRename", **at),
        request(0, "textDocument/rename", newName="other", **at),
        request(0, "textDocument/completion", context={"triggerKind": 1}, **at),
        request(0, "textDocument/documentSymbol", textDocument=document),
        request(0, "textDocument/foldingRange", textDocument=document),
        request(0, "textDocument/semanticTokens/full", textDocument=document),
        request(0, "textDocument/signatureHelp", **at),
        request(0, "textDocument/inlayHint", textDocument=document, range=range_),
        request(0, "textDocument/formatting", textDocument=document, options=OPTIONS),
        request(
            0,
            "textDocument/codeAction",
            textDocument=document,
            range=range_,
            context={"diagnostics": [found]},
        ),
        request(0, "workspace/symbol", query="s"),
        request(0, "workspace/executeCommand", command="x", arguments=[1]),
    ]


def spoilt(message: Any, random_: random.Random) -> Any:
    """The message with one thing changed, anywhere in it."""
    made = json.loads(json.dumps(message))
    places = []
    stack = [made]
    while stack:
        each = stack.pop()
        keys = list(each) if isinstance(each, dict) else list(range(len(each)))
        places += [(each, key) for key in keys]
        stack += [each[key] for key in keys if isinstance(each[key], dict | list)]
    holder, key = random_.choice(places)
    way = random_.randrange(4)
    if way == 0:
        del holder[key]
    elif way == 1 and isinstance(holder, dict):
        holder[f"{key}x"] = holder.pop(key)
    else:
        holder[key] = random_.choice(HOSTILE)
    return made


def check_spoilt_messages(seed: int, count: int) -> None:
    random_ = random.Random(seed)
    messages = [opened(MANIFEST, FILES["game.yaml"]), opened(RULES, FILES["game.rules"])]
    for number in range(count):
        message = random_.choice(plain())
        if "id" in message:
            message["id"] = f"r{number}"
        messages.append(spoilt(message, random_))
    ended = served(*messages)
    wanted = [
        each["id"]
        for each in messages
        if isinstance(each.get("id"), str | int) and not isinstance(each["id"], bool)
    ]
    assert not [id for id in wanted if id not in ended.answers]
    failed = [each for each in ended.told if each.get("error", {}).get("code") == INTERNAL]
    assert failed == []
    assert [each for each in ended.told if each.get("method") == "window/showMessage"] == []


@pytest.mark.parametrize("seed", range(2))
def test_spoilt_messages_are_answered(seed: int) -> None:
    check_spoilt_messages(seed, 200)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 110))
def test_many_spoilt_messages_are_answered(seed: int) -> None:
    check_spoilt_messages(seed, 1000)
