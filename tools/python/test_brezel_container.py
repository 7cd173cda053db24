"""Tests of brezel_container: python3 -m unittest tools/python/test_brezel_container.py"""

import http.client
import json
import math
import os
import socket
import stat
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from brezel_container import create_server

SUMS = {"name": "sums", "inputs": {"x": "FP32[2]"}, "outputs": {"y": "FP64"}}
ALL = {
    "name": "all",
    "inputs": {"text": "BYTES", "n": "INT64", "flag": "BOOL", "grid": "FP32[2,2]"},
    "outputs": {"text": "BYTES", "n": "INT64", "flag": "BOOL", "grid": "FP64[2,2]"},
}


class Served:
    """A server of a function, on a TCP port."""

    def __init__(self, predict_batch, **options):
        self.server = create_server(predict_batch, port=0, **options)
        # shutdown() waits for the next poll, by default half a second.
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def places(self):
        """The number of requests that may still arrive."""
        return self.server.model.places._value

    def raw(self, data):
        """Sends bytes, and returns all bytes until the server closes the connection."""
        client = socket.create_connection(self.server.server_address)
        client.sendall(data)
        answer = b"".join(iter(lambda: client.recv(4096), b""))
        client.close()
        return answer

    def request(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection(*self.server.server_address)
        text = body if isinstance(body, (str, bytes)) or body is None else json.dumps(body)
        connection.request(method, path, text, headers or {})
        answer = connection.getresponse()
        data = json.loads(answer.read())
        connection.close()
        return answer.status, data


def tensor(name, datatype, shape, data):
    return {"name": name, "datatype": datatype, "shape": shape, "data": data}


GET = b"GET /v2 HTTP/1.1\r\nhost: a\r\n%s\r\n\r\n"
POST = b"POST /v2/models/sums/infer HTTP/1.1\r\nhost: a\r\n%s\r\n\r\n"
X = tensor("x", "FP32", [2, 2], [1, 2, 3, 4])


class ContainerTest(unittest.TestCase):
    def test_metadata(self):
        with Served(lambda rows: rows, **SUMS) as served:
            status, body = served.request("GET", "/v2/models/sums")
            self.assertEqual(status, 200)
            self.assertEqual(body["inputs"], [{"name": "x", "datatype": "FP32", "shape": [-1, 2]}])
            self.assertEqual(body["outputs"], [{"name": "y", "datatype": "FP64", "shape": [-1]}])
            self.assertEqual(served.request("GET", "/v2/models/sums/versions/1")[0], 200)
            self.assertEqual(served.request("GET", "/v2/models/sums/ready")[1]["ready"], True)
            self.assertEqual(served.request("GET", "/v2/health/ready")[0], 200)
            self.assertEqual(served.request("GET", "/v2/models/sumsx")[0], 404)
            self.assertEqual(served.request("GET", "/v2/models/sums/versions/2")[0], 404)

    def test_answers(self):
        with Served(lambda rows: [sum(row) for row in rows], **SUMS) as served:
            status, body = served.request("POST", "/v2/models/sums/infer", {"id": "7", "inputs": [X]})
            self.assertEqual((status, body["id"]), (200, "7"))
            self.assertEqual(body["outputs"], [tensor("y", "FP64", [2], [3.0, 7.0])])
            nested = tensor("x", "FP32", [2, 2], [["NaN", 2], [3, "-Infinity"]])
            body = served.request("POST", "/v2/models/sums/infer", {"inputs": [nested]})[1]
            self.assertEqual(body["outputs"][0]["data"], ["NaN", "-Infinity"])
            self.assertNotIn("id", body)

    def test_all_types(self):
        row = [
            tensor("text", "BYTES", [1], ["é😀"]),
            tensor("n", "INT64", [1], [str(2**63 - 1)]),
            tensor("flag", "BOOL", [1], [True]),
            tensor("grid", "FP32", [1, 2, 2], [1, 2, 3, 4]),
        ]
        seen = []

        def echo(rows):
            seen.extend(rows)
            return rows

        with Served(echo, **ALL) as served:
            body = served.request("POST", "/v2/models/all/infer", {"inputs": row})[1]
            self.assertEqual(seen, [{"text": "é😀", "n": 2**63 - 1, "flag": True, "grid": [[1, 2], [3, 4]]}])
            data = {one["name"]: one["data"] for one in body["outputs"]}
            self.assertEqual(data, {"text": ["é😀"], "n": [str(2**63 - 1)], "flag": [True], "grid": [1, 2, 3, 4]})
            wanted = {"inputs": row, "outputs": [{"name": "n"}]}
            body = served.request("POST", "/v2/models/all/infer", wanted)[1]
            self.assertEqual([one["name"] for one in body["outputs"]], ["n"])

    def test_wrong_requests(self):
        wrong = [
            "nothing",
            "[" * 100_000,
            "[]",
            {},
            {"inputs": []},
            {"inputs": [X, X]},
            {"inputs": [tensor("z", "FP32", [2, 2], [1, 2, 3, 4])]},
            {"inputs": [tensor("x", "FP64", [2, 2], [1, 2, 3, 4])]},
            {"inputs": [tensor("x", "FP32", [2, 3], [1, 2, 3, 4])]},
            {"inputs": [tensor("x", "FP32", [-1, 2], [])]},
            {"inputs": [tensor("x", "FP32", [2, 2], [1, 2, 3])]},
            {"inputs": [tensor("x", "FP32", [2, 2], [1, 2, 3, None])]},
            {"inputs": [tensor("x", "FP32", [2, 2], [1, 2, 3, "a"])]},
            {"inputs": [tensor("x", "FP32", [2, 2], [1, 2, 3, 10**400])]},
            {"inputs": [X], "outputs": [{"name": "z"}]},
            {"inputs": [X], "outputs": [{"name": [1]}]},
            {"inputs": [X], "outputs": 5},
            {"inputs": [{**X, "name": [1]}]},
            {"inputs": [{**X, "parameters": 5}]},
            {"inputs": [X, 5]},
            {"inputs": [X], "id": math.nan},
            {"inputs": [X], "id": 5},
            {"inputs": [X], "outputs": [{"name": "y"}, {"name": "y"}]},
        ]
        with Served(lambda rows: [0 for _ in rows], **SUMS) as served:
            for body in wrong:
                status, answer = served.request("POST", "/v2/models/sums/infer", body)
                self.assertEqual(status, 400, body)
                self.assertTrue(answer["error"])
            self.assertEqual(served.request("POST", "/v2/models/sums/infer", {"inputs": [X]})[0], 200)

    def test_wrong_answers(self):
        for answers in [[1], [1, 2, 3], ["a", "b"], [None, 1], [[1, 2], [3, 4]], {1: 1, 2: 2}, "ab", None]:
            with Served(lambda rows, answers=answers: answers, **SUMS) as served:
                status, body = served.request("POST", "/v2/models/sums/infer", {"inputs": [X]})
                self.assertEqual(status, 500, answers)
                self.assertTrue(body["error"])

    def test_base64(self):
        types = {"inputs": {"text": "BYTES"}, "outputs": {"text": "BYTES"}}
        with Served(lambda rows: rows, name="echo", **types) as served:
            for data, status in [("w6k=", 200), ("?", 400), ("/w==", 400)]:
                text = {**tensor("text", "BYTES", [1], [data]), "parameters": {"content_type": "base64"}}
                self.assertEqual(served.request("POST", "/v2/models/echo/infer", {"inputs": [text]})[0], status)

    def test_no_rows(self):
        def fail(rows):
            raise ValueError("no rows")

        with Served(fail, **SUMS) as served:
            body = {"inputs": [tensor("x", "FP32", [0, 2], [])]}
            status, answer = served.request("POST", "/v2/models/sums/infer", body)
            self.assertEqual((status, answer["outputs"][0]["shape"]), (200, [0]))

    def test_canceled_requests_are_not_computed(self):
        started, go, seen = threading.Event(), threading.Event(), []

        def held(rows):
            seen.append(rows[0][0])
            started.set()
            go.wait()
            return [0 for _ in rows]

        def body(first):
            text = json.dumps({"inputs": [tensor("x", "FP32", [1, 2], [first, 0])]}).encode()
            return POST % (b"content-length: %d" % len(text)) + text

        with Served(held, max_waiting=3, **SUMS) as served:
            first, canceled, last = [socket.create_connection(served.server.server_address) for _ in range(3)]
            first.sendall(body(1))
            started.wait()
            canceled.sendall(body(2))
            last.sendall(body(3))
            while served.places() > 0:
                time.sleep(0.001)
            self.assertEqual(served.request("POST", "/v2/models/sums/infer", {"inputs": [X]})[0], 503)
            canceled.close()
            go.set()
            for client in (first, last):
                self.assertIn(b"200 OK", client.recv(4096))
                client.close()
            while served.places() < 3:
                time.sleep(0.001)
            self.assertEqual(sorted(seen), [1, 3])

    def test_heads_that_proxies_read_in_another_way(self):
        inner = b"GET /v2 HTTP/1.1\r\nhost: a\r\n\r\n"
        length = b"content-length: %d" % len(inner)
        with Served(lambda rows: rows, **SUMS) as served:
            for fields in [
                length + b"\r\ncontent-length: 5",
                length + b"\r\ntransfer-encoding: chunked",
                b"transfer-encoding: chunked",
                b"content-length: +5",
                b"content-length : 5",
            ]:
                for head in (GET, POST):
                    answer = served.raw(head % fields + inner)
                    self.assertEqual(answer.count(b"HTTP/1.1"), 1, fields)
                    self.assertIn(b"400 Bad Request", answer)
            answer = served.raw(GET % length + inner)
            self.assertEqual((answer.count(b"HTTP/1.1"), answer.count(b"200 OK")), (1, 1))
            for path in (b"/infer", b"model/infer"):
                answer = served.raw(b"POST %s HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}" % path)
                self.assertIn(b"404 Not Found", answer)

    def test_a_body_that_is_too_long_is_read(self):
        with Served(lambda rows: rows, token="s3cret", max_bytes=1000, **SUMS) as served:
            body, ok = b"x" * 2**23, {"authorization": "Bearer s3cret"}
            for _ in range(5):
                self.assertEqual(served.request("POST", "/v2/models/sums/infer", body, ok)[0], 413)
            self.assertEqual(served.request("POST", "/v2/models/sums/infer", body[: 2**20])[0], 401)

    def test_expect_continue(self):
        with Served(lambda rows: [0 for _ in rows], **SUMS) as served:
            text = json.dumps({"inputs": [X]}).encode()
            client = socket.create_connection(served.server.server_address)
            client.sendall(POST % (b"expect: 100-continue\r\ncontent-length: %d" % len(text)))
            self.assertIn(b"100 Continue", client.recv(100))
            client.sendall(text)
            self.assertIn(b"200 OK", client.recv(4096))
            client.close()

    def test_one_packet_for_each_answer(self):
        with Served(lambda rows: rows, **SUMS) as served:
            self.assertNotEqual(served.server.RequestHandlerClass.wbufsize, 0)

    def test_too_many_connections(self):
        with Served(lambda rows: rows, max_connections=1, **SUMS) as served:
            first = socket.create_connection(served.server.server_address)
            first.sendall(GET % b"a: b")
            self.assertIn(b"200 OK", first.recv(4096))
            self.assertEqual(served.raw(b""), b"")
            first.close()

    def test_error_of_the_function(self):
        def fail(rows):
            raise ValueError("row 0 is odd")

        with Served(fail, **SUMS) as served:
            status, body = served.request("POST", "/v2/models/sums/infer", {"inputs": [X]})
            self.assertEqual((status, body["error"]), (500, "ValueError: row 0 is odd"))

    def test_limits_and_token(self):
        with Served(lambda rows: [0 for _ in rows], token="s3cret", max_bytes=1000, **SUMS) as served:
            path, ok = "/v2/models/sums/infer", {"authorization": "Bearer s3cret"}
            self.assertEqual(served.request("GET", "/v2")[0], 401)
            self.assertEqual(served.request("POST", path, {"inputs": [X]}, {"authorization": "Bearer é"})[0], 401)
            self.assertEqual(served.request("POST", path, {"inputs": [X]}, ok)[0], 200)
            self.assertEqual(served.request("POST", path, "x" * 1001, ok)[0], 413)

    def test_wrong_types(self):
        for types in [{"x": "FP32[0]"}, {"x": "float"}, {"x": "FP32[-1]"}, {"": "FP32"}, {}]:
            with self.assertRaises(ValueError):
                create_server(print, name="a", inputs=types, outputs={"y": "FP64"}, port=0)

    @unittest.skipUnless(hasattr(socket, "AF_UNIX"), "this system has no Unix sockets")
    def test_unix_socket(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s")
            server = create_server(lambda rows: rows, path=path, **SUMS)
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode) & 0o077, 0)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            client = socket.socket(socket.AF_UNIX)
            client.connect(path)
            client.sendall(b"GET /v2 HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
            self.assertIn(b"brezel_container", b"".join(iter(lambda: client.recv(4096), b"")))
            client.close()
            server.shutdown()
            server.server_close()


if __name__ == "__main__":
    unittest.main()
