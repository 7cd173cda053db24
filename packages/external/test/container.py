"""A container of the tests. The variable ROLE selects what it does."""

import os
import signal
import sys
import time

sys.path.insert(0, os.environ["TOOLS"])
from brezel_container import serve

ROLE = os.environ.get("ROLE", "sums")


def predict_batch(rows):
    if ROLE == "dies" and rows[0][0] == 13:
        print("cannot stand 13", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    if ROLE == "hangs" and rows[0][0] == 13:
        time.sleep(1000)
    if ROLE == "fewer":
        return [0.0] * (len(rows) - 1)
    if ROLE == "raises" and rows[0][0] == 13:
        raise ValueError("13 is unlucky")
    if ROLE in ("pid", "hangs"):
        return [float(os.getpid())] * len(rows)
    return [sum(row) for row in rows]


if ROLE == "broken":
    sys.exit("no model file")
serve(predict_batch, name="sums", inputs={"x": "FP32[2]"}, outputs={"y": "FP64"})
