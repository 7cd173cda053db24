"""Serves a Python function as a model of the Open Inference Protocol v2, over HTTP.

The module needs the standard library only. Copy it beside your model:

    from brezel_container import serve

    def predict_batch(rows):          # a list of rows
        return [sum(row) for row in rows]  # a list with one answer for each row

    serve(predict_batch, name="sums", inputs={"x": "FP32[2]"}, outputs={"y": "FP64"})

A row is the value of the input, or a dict if the model has several inputs. An answer is the value
of the output, or a dict if the model has several outputs. numpy values are accepted.

`processPredictor` of @brezel/external starts such a script, and sets the variable BREZEL_SOCKET to
the path of a Unix socket. Without this variable, `serve` listens on a TCP port.
"""

import base64
import hmac
import json
import math
import os
import re
import socket
import socketserver
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import unquote

_INTEGERS = {
    "INT8": (-(2**7), 2**7 - 1),
    "INT16": (-(2**15), 2**15 - 1),
    "INT32": (-(2**31), 2**31 - 1),
    "INT64": (-(2**63), 2**63 - 1),
    "UINT8": (0, 2**8 - 1),
    "UINT16": (0, 2**16 - 1),
    "UINT32": (0, 2**32 - 1),
    "UINT64": (0, 2**64 - 1),
}
_FLOATS = ("FP16", "FP32", "FP64")
_NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_SAFE = 2**53 - 1
_TIMEOUT = 60  # seconds for which a connection may send nothing
_PIECE = 2**16
_DISCARDED = 2**20  # bytes that a client without a valid token may send for its answer
_TYPE = re.compile(r"^([A-Z]+\d*)(?:\[(\d+(?:, *\d+)*)\])?$")


class _Wrong(Exception):
    """An error of the request, with its HTTP status."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class _Gone(Exception):
    """The client has closed the connection."""


class _Port:
    """An input or output of the model: its datatype, and the sizes of its axes in one row."""

    def __init__(self, name, text):
        found = _TYPE.match(text)
        if not name or found is None or found[1] not in (*_INTEGERS, *_FLOATS, "BOOL", "BYTES"):
            raise ValueError(f'{name}: expected a type such as "FP32[2]" or "BYTES", received {text!r}')
        self.name, self.datatype = name, found[1]
        self.axes = [int(size) for size in found[2].split(",")] if found[2] else []
        self.size = math.prod(self.axes)
        if self.size < 1:
            raise ValueError(f"{name}: expected sizes from 1, received {text!r}")

    def metadata(self):
        return {"name": self.name, "datatype": self.datatype, "shape": [-1, *self.axes]}

    def rows(self, tensor):
        """Returns the values of an input tensor, one for each row."""
        at = f'input "{self.name}"'
        if tensor.get("datatype") != self.datatype:
            raise _Wrong(400, f"{at}: expected {self.datatype}, received {tensor.get('datatype')!r:.60}")
        shape, data = tensor.get("shape"), tensor.get("data")
        if not isinstance(shape, list) or not shape or shape[1:] != self.axes or not _is_size(shape[0]):
            raise _Wrong(400, f"{at}: expected shape {[-1, *self.axes]}, received {shape!r:.60}")
        if not isinstance(data, list):
            raise _Wrong(400, f"{at}: expected a list in data")
        for _ in self.axes:  # data may be nested as the shape
            if data and isinstance(data[0], list):
                data = [one for part in data for one in (part if isinstance(part, list) else [part])]
        if len(data) != shape[0] * self.size:
            raise _Wrong(400, f"{at}: expected {shape[0] * self.size} elements, received {len(data)}")
        parameters = tensor.get("parameters", {})
        if not isinstance(parameters, dict):
            raise _Wrong(400, f"{at}: expected an object in parameters")
        is_base64 = parameters.get("content_type") == "base64"
        values = [self._read(value, is_base64, at) for value in data]
        if not self.axes:
            return values
        return [_nested(values[row * self.size : (row + 1) * self.size], self.axes) for row in range(shape[0])]

    def _read(self, value, is_base64, at):
        kind = self.datatype
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if kind in _FLOATS:
            if isinstance(value, float) or (is_number and abs(value) <= sys.float_info.max):
                return float(value)
            if isinstance(value, str) and value in _NOT_FINITE:
                return _NOT_FINITE[value]
        elif kind == "BOOL":
            if isinstance(value, bool) or (is_number and value in (0, 1)):
                return bool(value)
        elif kind == "BYTES":
            if isinstance(value, str):
                return _decoded(value, at) if is_base64 else value
        else:
            if isinstance(value, str) and re.fullmatch(r"-?\d{1,20}", value):
                value, is_number = int(value), True
            least, most = _INTEGERS[kind]
            if is_number and (isinstance(value, int) or value.is_integer()) and least <= value <= most:
                return int(value)
        raise _Wrong(400, f"{at}: expected an element of {kind}, received {value!r:.60}")

    def tensor(self, answers):
        """Returns the output tensor of some answers."""
        flat = [self._write(value) for answer in answers for value in self._flat(answer)]
        return {"name": self.name, "datatype": self.datatype, "shape": [len(answers), *self.axes], "data": flat}

    def _flat(self, answer):
        values = [_plain(answer)]
        for _ in self.axes:
            values = [one for part in values for one in (part if isinstance(part, (list, tuple)) else [part])]
        if len(values) != self.size:
            raise _Wrong(500, f'output "{self.name}": expected {self.size} elements a row, received {len(values)}')
        return values

    def _write(self, value):
        kind = self.datatype
        value = _plain(value)
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if kind in _FLOATS and is_number:
            value = float(value)
            if math.isfinite(value):
                return value
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        if kind in _INTEGERS and is_number and math.isfinite(value) and value == int(value):
            least, most = _INTEGERS[kind]
            if least <= value <= most:  # JavaScript reads larger integers from texts only
                return int(value) if abs(value) <= _SAFE else str(int(value))
        if kind == "BOOL" and isinstance(value, bool):
            return value
        if kind == "BYTES" and isinstance(value, (str, bytes)):
            return value if isinstance(value, str) else value.decode()
        raise _Wrong(500, f'output "{self.name}": expected an element of {kind}, received {value!r:.60}')


def _decoded(value, at):
    try:
        return base64.b64decode(value, validate=True).decode()
    except ValueError as error:
        raise _Wrong(400, f"{at}: expected UTF-8 in base64: {error}"[:200]) from None


def _is_size(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _plain(value):
    """Converts numpy arrays and numbers to lists and numbers of Python."""
    return value.tolist() if hasattr(value, "tolist") else value


def _nested(values, axes):
    for size in reversed(axes[1:]):
        values = [values[at : at + size] for at in range(0, len(values), size)]
    return values


class _Model:
    """The function with its ports. One thread at a time calls the function."""

    def __init__(self, predict_batch, name, version, inputs, outputs, max_waiting):
        self.predict_batch, self.name, self.version = predict_batch, name, version
        self.inputs = [_Port(port, text) for port, text in inputs.items()]
        self.outputs = [_Port(port, text) for port, text in outputs.items()]
        if not name or not self.inputs or not self.outputs:
            raise ValueError("expected a name, an input and an output")
        self.lock = threading.Lock()
        self.places = threading.Semaphore(max_waiting)

    def metadata(self):
        return {
            "name": self.name,
            "versions": [self.version],
            "platform": "python",
            "inputs": [port.metadata() for port in self.inputs],
            "outputs": [port.metadata() for port in self.outputs],
        }

    def infer(self, request, is_gone):
        if not isinstance(request, dict) or not isinstance(request.get("inputs"), list):
            raise _Wrong(400, "expected an object with a list of inputs")
        if not isinstance(request.get("id", ""), str):
            raise _Wrong(400, "expected a text in id")
        names = [port.name for port in self.inputs]
        if sorted(_names(request["inputs"])) != sorted(names):
            raise _Wrong(400, f"expected the inputs {', '.join(names)}, each once")
        tensors = {one["name"]: one for one in request["inputs"]}
        columns = [port.rows(tensors[port.name]) for port in self.inputs]
        count = len(columns[0])
        if any(len(column) != count for column in columns):
            raise _Wrong(400, "the inputs have different numbers of rows")
        rows = columns[0] if len(columns) == 1 else [dict(zip(names, row)) for row in zip(*columns)]
        wanted = self._wanted(request.get("outputs"))
        answers = self._predict(rows, is_gone) if count > 0 else []
        if len(answers) != count:
            raise _Wrong(500, f"predict_batch returned {len(answers)} answers for {count} rows")
        single = len(self.outputs) == 1
        outputs = [port.tensor(answers if single else [one[port.name] for one in answers]) for port in wanted]
        head = {"model_name": self.name, "model_version": self.version}
        return {**head, **({"id": request["id"]} if "id" in request else {}), "outputs": outputs}

    def _predict(self, rows, is_gone):
        if not self.places.acquire(blocking=False):
            raise _Wrong(503, "too many requests wait")
        try:
            with self.lock:
                if is_gone():  # nobody waits for the answer
                    raise _Gone
                answers = _plain(self.predict_batch(rows))
        finally:
            self.places.release()
        if not isinstance(answers, (list, tuple)):  # a dict or a text also has elements
            raise _Wrong(500, f"predict_batch returned {type(answers).__name__}, expected a list")
        return answers

    def _wanted(self, outputs):
        if outputs is None:
            return self.outputs
        names = _names(outputs) if isinstance(outputs, list) else [""]
        wanted = [port for name in names for port in self.outputs if port.name == name]
        if len(wanted) != len(names) or len(set(names)) != len(names):
            raise _Wrong(400, f"expected outputs among {', '.join(port.name for port in self.outputs)}")
        return wanted


def _names(tensors):
    """Returns the names of tensors; an invalid name is an empty text, as no port has this name."""
    names = [one.get("name") if isinstance(one, dict) else None for one in tensors]
    return [name if isinstance(name, str) else "" for name in names]


def _handler(model, token, max_bytes):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = _TIMEOUT
        wbufsize = -1  # head and body in one packet: TCP delays a second small packet
        unread = 0  # bytes of the body that are not read yet
        is_known = False  # the token is valid

        def address_string(self):
            return "client"

        def log_message(self, *_):
            pass

        def do_GET(self):
            self._answer(self._get)

        def do_POST(self):
            self._answer(self._post)

        def handle_expect_100(self):
            is_accepted = super().handle_expect_100()
            self.wfile.flush()  # the client waits for this line before it sends the body
            return is_accepted

        def _answer(self, find):
            self.unread, self.is_known = 0, False
            try:
                self.unread = self._length()
                self._check_token()
                status, body = 200, find()
            except (_Gone, ConnectionError):
                self.close_connection = True
                return
            except _Wrong as error:
                status, body = error.status, {"error": str(error)}
            except Exception as error:  # an error of predict_batch
                status, body = 500, {"error": f"{type(error).__name__}: {error}"[:1000]}
            data = json.dumps(body, allow_nan=False).encode()
            if status != 200 or self.unread > 0:
                self.close_connection = True  # the rest of the body is no request
                self._discard()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            if self.close_connection:
                self.send_header("connection", "close")
            self.end_headers()
            self.wfile.write(data)

        def _length(self):
            """Returns the length of the body. Rejects heads that a proxy may read in another way."""
            lengths = self.headers.get_all("content-length", [])
            if self.headers.defects or "transfer-encoding" in self.headers or len(lengths) > 1:
                raise _Wrong(400, "expected valid headers, content-length once and no transfer-encoding")
            if lengths and not re.fullmatch(r"[0-9]{1,15}", lengths[0]):
                raise _Wrong(400, "expected digits in content-length")
            return int(lengths[0]) if lengths else 0

        def _check_token(self):
            expected = f"Bearer {token}".encode()
            received = self.headers.get("authorization", "").encode("utf-8", "replace")
            if token is not None and not hmac.compare_digest(expected, received):
                raise _Wrong(401, "wrong token")
            self.is_known = True

        def _read(self, size):
            try:
                data = self.rfile.read(size)
            except socket.timeout:
                self.unread = 0
                raise _Wrong(408, f"received no data for {_TIMEOUT} seconds") from None
            self.unread -= len(data)
            if len(data) < size:
                raise _Gone
            return data

        def _discard(self):
            """Reads the rest of the body: many clients read no answer before they have sent it."""
            self.unread = self.unread if self.is_known else min(self.unread, _DISCARDED)
            try:
                while self.unread > 0:
                    self._read(min(self.unread, _PIECE))
            except (_Gone, _Wrong, ConnectionError):
                pass

        def _is_gone(self):
            """Returns whether the client has closed the connection."""
            self.connection.settimeout(0)
            try:
                return self.connection.recv(1, socket.MSG_PEEK) == b""
            except BlockingIOError:
                return False
            except OSError:
                return True
            finally:
                self.connection.settimeout(self.timeout)

        def _path(self):
            """Returns the path; "model" stands for the path of the model."""
            path = self.path.split("?")[0].rstrip("/")
            for version in ("", f"/versions/{model.version}"):
                prefix = f"/v2/models/{model.name}{version}"
                if unquote(path) == prefix or unquote(path).startswith(f"{prefix}/"):
                    rest = unquote(path)[len(prefix) :]
                    if rest in ("", "/ready", "/infer"):
                        return f"model{rest}"
            return path if path.startswith("/") else "/"

        def _get(self):
            path = self._path()
            if path == "/v2":
                return {"name": "brezel_container", "version": "1", "extensions": []}
            if path == "model":
                return model.metadata()
            if path == "model/ready":
                return {"name": model.name, "ready": True}
            if path in ("/v2/health/live", "/v2/health/ready"):
                return {"live": True, "ready": True}
            raise _Wrong(404, "no such model or route")

        def _post(self):
            if self._path() != "model/infer":
                raise _Wrong(404, "no such model or route")
            if "content-length" not in self.headers:
                raise _Wrong(411, "expected the header content-length")
            if self.unread > max_bytes:
                raise _Wrong(413, f"expected at most {max_bytes} bytes")
            body = self._read(self.unread)
            try:
                request = json.loads(body)
            except (ValueError, RecursionError) as error:
                raise _Wrong(400, f"expected JSON: {error}"[:200]) from None
            return model.infer(request, self._is_gone)

    return Handler


class _Connections(socketserver.ThreadingMixIn):
    """One thread for each connection, up to a limit. Further connections are closed."""

    daemon_threads = True
    request_queue_size = 128
    slots = None

    def process_request(self, request, client_address):
        if self.slots.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request, client_address):
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.slots.release()

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], (ConnectionError, socket.timeout)):
            super().handle_error(request, client_address)


class _UnixServer(_Connections, socketserver.UnixStreamServer):
    pass


class _TcpServer(_Connections, HTTPServer):
    pass


def create_server(
    predict_batch,
    *,
    name,
    inputs,
    outputs,
    version="1",
    path=None,
    host="127.0.0.1",
    port=8080,
    token=None,
    max_bytes=64 * 2**20,
    max_waiting=1024,
    max_connections=2048,
):
    """Returns a server that listens, and answers when `serve_forever` runs.

    path: the path of a Unix socket; without a path, the server listens on host and port.
    token: the token that each request must have in the header `Authorization: Bearer`.
    max_bytes: the largest size of a request.
    max_waiting: the largest number of requests that run or wait; others get the status 503.
    max_connections: the largest number of open connections; others are closed.
    """
    model = _Model(predict_batch, name, version, inputs, outputs, max_waiting)
    handler = _handler(model, token, max_bytes)
    if path is None:
        server = _TcpServer((host, port), handler)
    else:
        before = os.umask(0o177)  # only this user may connect
        try:
            server = _UnixServer(path, handler)
        finally:
            os.umask(before)
    server.model = model
    server.slots = threading.Semaphore(max_connections)
    return server


def serve(predict_batch, **options):
    """Serves a function until the process ends. `create_server` lists the options.

    If BREZEL_SOCKET is set, the server listens on this Unix socket, and the process ends when its
    standard input is closed: then the process that started it has ended.
    """
    path = os.environ.get("BREZEL_SOCKET")
    server = create_server(predict_batch, **({**options, "path": path} if path else options))
    if path:
        threading.Thread(target=_end_with_parent, daemon=True).start()
    server.serve_forever()


def _end_with_parent():
    sys.stdin.buffer.read()
    os._exit(0)
