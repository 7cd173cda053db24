"""Measures XGBoost for xgboost.mjs. Uses one thread and calls the C API on rows in place.

Usage: python3 xgboost_times.py MODEL.json ROWS.f32 FEATURES TREES DEPTH

Trains the model unless the file exists. Writes the predictions of all rows as one line of JSON.
Then each line of the input is "ROWS CALLS", and the output is a line with the time of each call in
microseconds. ctypes adds about a microsecond to a call.
"""

import ctypes
import json
import os
import sys
import time

import numpy
import xgboost
from xgboost import core

model, path = sys.argv[1:3]
features, trees, depth = map(int, sys.argv[3:])
booster = xgboost.Booster({"nthread": 1})
if not os.path.exists(model):
    random = numpy.random.default_rng(7)
    x = random.random((20000, features), dtype=numpy.float32)
    y = x[:, 0] * x[:, 1] + numpy.sin(5 * x[:, 2]) + 0.3 * random.standard_normal(len(x))
    options = {"max_depth": depth, "min_child_weight": 0, "tree_method": "hist", "eta": 0.05, "max_bin": 1024}
    # A run that is stopped here must not leave half a model for the next run.
    unfinished = f"{model}.{os.getpid()}.json"
    xgboost.train(options, xgboost.DMatrix(x, y), trees).save_model(unfinished)
    os.replace(unfinished, model)
booster.load_model(model)
values = numpy.fromfile(path, dtype=numpy.float32).reshape(-1, features)

CONFIG = b'{"type": 0, "training": false, "iteration_begin": 0, "iteration_end": 0, "strict_shape": false, "missing": NaN, "cache_id": 0}'
shape = ctypes.POINTER(core.c_bst_ulong)()
dimensions = core.c_bst_ulong()
result = ctypes.POINTER(ctypes.c_float)()


def arguments(first, count):
    """Returns the arguments of a call over some rows."""
    interface = values[first : first + count].__array_interface__
    matrix = {key: interface[key] for key in ("data", "typestr", "shape", "version")}
    matrix["strides"] = None
    out = (ctypes.byref(shape), ctypes.byref(dimensions), ctypes.byref(result))
    return (booster.handle, json.dumps(matrix).encode(), CONFIG, None, *out)


def predict(call):
    if core._LIB.XGBoosterPredictFromDense(*call) != 0:
        raise RuntimeError(core._LIB.XGBGetLastError())


predict(arguments(0, len(values)))
print(json.dumps({"predictions": result[: len(values)], "version": xgboost.__version__}), flush=True)
for line in sys.stdin:
    rows, calls = map(int, line.split())
    prepared = [arguments(index * rows % len(values), rows) for index in range(calls)]
    times = []
    for call in prepared:
        start = time.perf_counter_ns()
        predict(call)
        times.append((time.perf_counter_ns() - start) / 1000)
    print(json.dumps(times), flush=True)
