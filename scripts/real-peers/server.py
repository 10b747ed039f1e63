"""The canned model server on loopback, and the log of what reached it.

Each cell has an address of its own, `http://127.0.0.1:PORT/CELL`, so that one server serves all of
them at once and each request says whose it is.
"""

import json
import re
import socket
import struct
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from canned import FAULTS, Reply, Request, reply
from wire import FORMATS

MOST_BODY = 64 << 20
# A client that is waited for is gone long before; this keeps a thread from staying for ever.
HANG = 300
STATUSES = {"401": 401, "429": 429, "500": 500}
SIGN_IN = "<!doctype html><title>Sign in</title><h1>Sign in to continue</h1>"


@dataclass
class Cell:
    """One program under one fault."""

    name: str
    fault: str | None
    root: str
    # A text that stands in this cell's project and nowhere else.
    marker: str
    asked: set[str] = field(default_factory=set)


class Server:
    """Runs until the process ends."""

    def __init__(self) -> None:
        assert set(STATUSES) < set(FAULTS)
        self.cells: dict[str, Cell] = {}
        self.log: list[dict] = []
        self.lock = threading.Lock()
        handler = type("Bound", (Handler,), {"server_of": self})
        self.http = Quiet(("127.0.0.1", 0), handler)
        self.port = self.http.server_address[1]
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        # Bound and never listened to: a connection to it is refused.
        self.closed = socket.socket()
        self.closed.bind(("127.0.0.1", 0))

    def add(self, cell: Cell) -> str:
        """Returns the address of the cell."""
        self.cells[cell.name] = cell
        port = self.closed.getsockname()[1] if cell.fault == "refused" else self.port
        return f"http://127.0.0.1:{port}/{cell.name}"

    def strays(self) -> list[str]:
        """Requests that carried a project's text and did not go to its own cell's address."""
        with self.lock:
            return [entry["path"] for entry in self.log if entry["strays"]]

    def requests(self, cell: str) -> list[dict]:
        with self.lock:
            return [entry for entry in self.log if entry["cell"] == cell]


class Quiet(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, _request, _address) -> None:
        """A client that goes away is what this server is for."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_of: Server

    def log_message(self, *_) -> None:
        pass

    def do_GET(self) -> None:
        cell, path = self.take(b"")
        if self.headers.get("Upgrade"):
            return self.send(426, {"error": {"message": "no other protocol here"}})
        if cell is None:
            return self.send(404, FORMATS["chat"].error(404))
        if self.is_broken(cell, "chat"):
            return None
        model = {"id": "canned-reviewer", "object": "model", "owned_by": "nobody"}
        if path.startswith("/v1beta/models"):
            return self.send(200, {"models": [{"name": "models/canned-reviewer"}]})
        if path in ("/v1/models", "/models"):
            return self.send(200, {"object": "list", "data": [model]})
        return self.send(404, FORMATS["chat"].error(404))

    do_HEAD = do_GET

    def do_POST(self) -> None:
        raw = self.body()
        cell, path = self.take(raw)
        kind, stream = self.format_of(path)
        if cell is None or kind is None:
            return self.send(404, FORMATS["chat"].error(404))
        body = json.loads(raw)
        if "tokens" in kind:
            return self.send(200, {"input_tokens": len(raw) // 4, "totalTokens": len(raw) // 4})
        if cell.fault == "once429" and self.is_first(cell, path):
            return self.refuse(429, kind)
        if self.is_broken(cell, kind):
            return None
        wire = FORMATS[kind]
        request: Request = wire.read(body)
        request.stream |= stream
        if request.schema is not None:
            answer = Reply(text=json.dumps(example(request.schema)))
        else:
            answer = reply(cell.fault, request, cell.root)
        drop = cell.fault == "drop" and not answer.call
        if request.stream:
            return self.send_stream(list(wire.stream(request, answer)), drop)
        return self.send(200, wire.whole(request, answer), drop=drop)

    def format_of(self, path: str) -> tuple[str | None, bool]:
        ends = {"/chat/completions": "chat", "/responses": "responses", "/messages": "messages",
                "/count_tokens": "tokens", ":countTokens": "tokens", ":generateContent": "gemini"}
        if path.endswith(":streamGenerateContent"):
            return "gemini", True
        return next((kind for end, kind in ends.items() if path.endswith(end)), None), False

    def take(self, raw: bytes) -> tuple[Cell | None, str]:
        """Notes a request and finds whose it is."""
        whole = self.path.split("?")[0].rstrip("/")
        found = re.match(r"^/([\w-]+)(/.*)?$", whole)
        server = self.server_of
        cell = server.cells.get(found.group(1)) if found else None
        foreign = [other.marker for other in server.cells.values()
                   if other is not cell and other.marker.encode() in raw]
        with server.lock:
            server.log.append({
                "cell": cell.name if cell else None,
                "method": self.command,
                "path": self.path,
                "bytes": len(raw),
                "has_text": bool(cell) and cell.marker.encode() in raw,
                "strays": bool(foreign),
            })
        return cell, (found.group(2) or "/") if found else whole

    def is_first(self, cell: Cell, path: str) -> bool:
        with self.server_of.lock:
            first = path not in cell.asked
            cell.asked.add(path)
        return first

    def is_broken(self, cell: Cell, kind: str) -> bool:
        """Carries out the faults that leave no room for an answer."""
        fault = cell.fault or ""
        if fault in STATUSES:
            self.refuse(STATUSES[fault], kind)
        elif fault == "hang":
            self.wait_for_the_end()
        elif fault == "reset":
            self.cut(reset=True)
        elif fault == "garbage":
            self.send(200, "this is {not JSON")
        elif fault == "html":
            self.send(200, SIGN_IN, "text/html")
        else:
            return False
        return True

    def refuse(self, status: int, kind: str) -> None:
        wire = FORMATS.get(kind, FORMATS["chat"])
        also = [("Retry-After", "1")] if status == 429 else []
        self.send(status, wire.error(status), also=also)

    def body(self) -> bytes:
        if "chunked" not in (self.headers.get("Transfer-Encoding") or "").lower():
            return self.rfile.read(min(int(self.headers.get("Content-Length") or 0), MOST_BODY))
        whole = b""
        while len(whole) < MOST_BODY:
            size = int(self.rfile.readline().split(b";")[0].strip() or b"0", 16)
            whole += self.rfile.read(size)
            self.rfile.readline()
            if size == 0:
                break
        return whole

    def send(self, status, data, kind="application/json", also=(), drop=False) -> None:
        body = (data if isinstance(data, str) else json.dumps(data)).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in also:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body[: len(body) // 2] if drop else body)
        if drop:
            self.cut(reset=False)

    def send_stream(self, events: list[str], drop: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in events[: len(events) // 2] if drop else events:
            data = event.encode("utf-8", "surrogatepass")
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()
        if drop:
            return self.cut(reset=False)
        self.wfile.write(b"0\r\n\r\n")

    def cut(self, reset: bool) -> None:
        """Ends the connection: with a reset, or as one that ends too early."""
        self.close_connection = True
        if reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            # The reader holds the descriptor as well; without it this is the end at once.
            self.rfile.close()
            self.connection.close()
        else:
            self.connection.shutdown(socket.SHUT_RDWR)

    def wait_for_the_end(self) -> None:
        self.close_connection = True
        self.connection.settimeout(1)
        end = time.monotonic() + HANG
        while time.monotonic() < end:
            try:
                if self.connection.recv(1 << 16) == b"":
                    return
            except TimeoutError:
                continue
            except OSError:
                return


def example(schema: dict):
    """A small value that fits a schema."""
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type") or "object"
    kind = (kind[0] if isinstance(kind, list) else kind).lower()
    if kind == "object":
        return {key: example(value) for key, value in (schema.get("properties") or {}).items()}
    return {"string": "canned", "number": 0, "integer": 0, "boolean": False, "array": []}.get(kind)
