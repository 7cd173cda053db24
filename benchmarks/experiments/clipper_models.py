"""Trains and serves the models of clipper.mjs: scikit-learn and XGBoost on handwritten digits.

Usage: clipper_models.py train FOLDER QUERIES    writes models, queries and labels
       clipper_models.py serve FOLDER MODEL      serves a model with brezel_container.py

The digits of scikit-learn have 8 x 8 pixels. Noise is added, so that the models differ. All random
numbers are seeded, so the same versions of the packages write the same files.
"""

import json
import os
import pickle
import sys

import numpy

PIXELS = 64
NOISE = 0.35
TRAINING = 800  # digits for training; the queries are drawn from the other 997 digits
COPIES = 3  # noisy copies of each digit for training
FORESTS = 8  # the ensemble of Figure 9
DIALECTS = 4  # ways to write a digit, in Figure 10
USERS = 120
USER_QUERIES = 40


def write_like(pixels, dialect):
    """Returns digits as the users of a dialect write them: turned by a number of quarter turns."""
    return numpy.rot90(pixels.reshape(-1, 8, 8), dialect, axes=(1, 2)).reshape(-1, PIXELS)


def train(folder, count):
    from sklearn.datasets import load_digits
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier
    from sklearn.svm import SVC, LinearSVC
    from xgboost import XGBClassifier

    random = numpy.random.default_rng(7)
    digits = load_digits()
    order = random.permutation(len(digits.target))
    clean, labels = (digits.data[order] / 16).astype(numpy.float32), digits.target[order]

    def noisy(pixels):
        return (pixels + random.normal(0, NOISE, pixels.shape)).astype(numpy.float32)

    def save(name, model, x, y):
        with open(os.path.join(folder, f"{name}.pickle"), "wb") as file:
            pickle.dump(model.fit(x, y), file)
        return model

    def write(name, rows, y, **more):
        rows.astype("<f4").tofile(os.path.join(folder, f"{name}.f32"))
        with open(os.path.join(folder, f"{name}.json"), "w") as file:
            json.dump({"labels": y.tolist(), **more}, file)

    x, y = noisy(numpy.repeat(clean[:TRAINING], COPIES, 0)), numpy.repeat(labels[:TRAINING], COPIES)
    save("linear-svm", LinearSVC(random_state=0, max_iter=5000), x[:300], y[:300])
    save("logistic-regression", LogisticRegression(max_iter=1000), x, y)
    save("random-forest", RandomForestClassifier(50, random_state=0), x[:900], y[:900])
    boosted = XGBClassifier(n_estimators=20, max_depth=4, n_jobs=1, random_state=0, tree_method="exact")
    save("xgboost", boosted, x[:1200], y[:1200])
    save("kernel-svm", SVC(), x, y)
    for index in range(FORESTS):
        chosen = random.choice(len(x), 900, replace=False)
        save(f"forest-{index}", RandomForestClassifier(10, random_state=index), x[chosen], y[chosen])
    network = save("network", MLPClassifier((64,), random_state=0, max_iter=60), x[:1800], y[:1800])
    layers = {"weights": [w.ravel().tolist() for w in network.coefs_], "biases": [b.tolist() for b in network.intercepts_]}
    drawn = random.integers(TRAINING, len(clean), count)
    queries = noisy(clean[drawn])
    write("queries", queries, labels[drawn], network=network.predict(queries).tolist(), **layers)

    tongues = [write_like(x, dialect) for dialect in range(DIALECTS)]
    for dialect, rows in enumerate(tongues):
        save(f"dialect-{dialect}", LinearSVC(random_state=0, max_iter=5000), rows[:900], y[:900])
    some = random.choice(DIALECTS * len(x), 900, replace=False)
    save("all-dialects", LinearSVC(random_state=0, max_iter=5000), numpy.concatenate(tongues)[some], numpy.tile(y, DIALECTS)[some])
    users = numpy.repeat(numpy.arange(USERS), USER_QUERIES)
    drawn = random.integers(TRAINING, len(clean), len(users))
    rows = noisy(clean[drawn])
    for dialect in range(DIALECTS):
        own = users % DIALECTS == dialect
        rows[own] = write_like(rows[own], dialect)
    write("users", rows, labels[drawn], users=users.tolist(), dialects=DIALECTS)


def serve(folder, name):
    from brezel_container import serve as serve_function

    if name == "no-op":
        predict = lambda rows: [0] * len(rows)
    else:
        with open(os.path.join(folder, f"{name}.pickle"), "rb") as file:
            model = pickle.load(file)
        predict = lambda rows: model.predict(numpy.asarray(rows, dtype=numpy.float32))
    serve_function(predict, name=name, inputs={"x": f"FP32[{PIXELS}]"}, outputs={"label": "INT64"})


if __name__ == "__main__":
    if sys.argv[1] == "train":
        train(sys.argv[2], int(sys.argv[3]))
    else:
        serve(*sys.argv[2:])
