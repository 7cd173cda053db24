"""Exports a trained model for Brezel, with golden rows that prove the export.

Copy this file beside your training script. It needs the library of your model, and for scikit-learn
also skl2onnx. Nothing else is imported.

    from brezel_export import export

    export(pipeline, X_test[:200], "model.onnx")   # scikit-learn
    export(booster, X_test[:200], "model.txt")     # LightGBM: the native file
    export(booster, X_test[:200], "model.ubj")     # XGBoost: the native file (or .json)

Besides the model, `export` writes `model.rows.jsonl` (the sample, as rows of Brezel) and
`model.answers.jsonl` (the answers of the Python model). Check the export with:

    npx brezel verify model.onnx --rows model.rows.jsonl --expected model.answers.jsonl
"""

import json
import math
import os

__all__ = ["Column", "ExportError", "columns_of", "export", "faults_of"]


class ExportError(ValueError):
    """The model or the sample cannot be exported. The message says what to change."""


class Column:
    """An input of the model: its name, its kind (float, int, bool or text) and its width."""

    def __init__(self, name, kind, width, values):
        self.name, self.kind, self.width, self.values = name, kind, width, values

    def __repr__(self):
        return f"Column({self.name!r}, {self.kind!r}, {self.width})"


def export(model, sample, path, *, target_opset=None, convert=None):
    """Writes the model to `path`, and golden rows beside it. Returns the paths of the three files.

    model: a fitted scikit-learn estimator or pipeline, or a model of LightGBM or XGBoost.
    sample: rows that were not used for training, in the form that `model.predict` takes: a
        DataFrame, a two-dimensional array, or a list of texts. A few hundred rows are enough. The
        types of its columns become the types of the inputs.
    path: model.onnx for scikit-learn, model.txt for LightGBM, model.ubj or model.json for XGBoost.
    target_opset: of skl2onnx, for example {"": 17, "ai.onnx.ml": 3}.
    convert: a function (model, columns) -> bytes of an ONNX file, to use another exporter.

    Raises ExportError. Then no file was written.
    """
    path = os.fspath(path)
    columns = columns_of(sample)
    library = type(model).__module__.split(".")[0]
    if library in ("lightgbm", "xgboost") and convert is None:
        write, answers = _native(model, library, sample, columns, path)
        rows = _rows([Column("x", "float", len(columns), _matrix(columns))])
    else:
        _check_suffix(path, (".onnx",), library)
        content, outputs = _onnx(model, columns, target_opset, convert)
        answers = _answers(model, sample, outputs)
        rows = _rows(columns)

        def write(target):
            with open(target, "wb") as file:
                file.write(content)

    base = os.path.splitext(path)[0]
    files = path, base + ".rows.jsonl", base + ".answers.jsonl"
    texts = [_lines(rows), _lines(answers)]  # complete before the first file is written
    write(path)
    for file, text in zip(files[1:], texts):
        with open(file, "w", encoding="utf-8") as out:
            out.write(text)
    for fault in faults_of(model):
        print(f"brezel_export: {fault}")
    return files


def columns_of(sample):
    """Returns the inputs of a sample. A two-dimensional array is one input "x", texts are "text"."""
    if hasattr(sample, "columns") and hasattr(sample, "iloc"):
        named = [(name, list(sample[name])) for name in sample.columns]
    else:
        values = sample.tolist() if hasattr(sample, "tolist") else list(sample)
        if values and isinstance(values[0], (list, tuple)):
            named = None
        else:
            named = [("text", values)]
    columns = [_vectors(values)] if named is None else [_column(*pair) for pair in named]
    if not columns or not columns[0].values:
        raise ExportError("the sample is empty: pass a few hundred rows")
    return columns


def faults_of(model):
    """Returns warnings about settings that skl2onnx loses, for each step of a pipeline."""
    found = []
    for name, step in _steps(model):
        kind, settings = type(step).__name__, getattr(step, "__dict__", {})
        for names, wanted, message in _FAULTS:
            if kind in names and wanted(settings):
                found.append(f"{name}: {message}")
    return found


_TEXT = ("CountVectorizer", "TfidfVectorizer")
_TOKEN_PATTERN = r"(?u)\b\w\w+\b"
_NEIGHBORS = ("KNeighborsClassifier", "KNeighborsRegressor")
_REGRESSORS = ("HistGradientBoostingRegressor", "PoissonRegressor", "GammaRegressor", "TweedieRegressor")

_TOKENEXP = r"export with options={TfidfVectorizer: {'tokenexp': r'[\p{L}\p{N}_]{2,}'}}"


def _pattern(step):
    """Returns the token pattern of a vectorizer of words, else an empty text.

    skl2onnx replaces the default pattern by [a-zA-Z0-9_]+. In the file, \\w is ASCII.
    """
    is_word = step.get("analyzer", "word") == "word"
    return (step.get("token_pattern", _TOKEN_PATTERN) or "") if is_word else ""


# Kinds of steps, the settings that are lost, and what happens.
_FAULTS = [
    (
        _TEXT,
        lambda step: step.get("max_features") is not None or step.get("min_df", 1) != 1,
        "max_features and min_df become stop words of whole texts; compare the answers of short texts",
    ),
    (
        _TEXT,
        lambda step: "\\w" in _pattern(step)
        and any(not term.isascii() for term in step.get("vocabulary_", ())),
        f"words end at letters beyond ASCII, unlike in scikit-learn; {_TOKENEXP}",
    ),
    (
        _TEXT,
        lambda step: _pattern(step) == _TOKEN_PATTERN and step.get("ngram_range", (1, 1))[1] > 1,
        f"n-grams contain words of one letter, which scikit-learn skips; {_TOKENEXP}",
    ),
    (
        _TEXT,
        lambda step: step.get("stop_words") is not None and not step.get("lowercase", True),
        "skl2onnx loses lowercase=False together with stop words",
    ),
    (
        _NEIGHBORS,
        lambda step: step.get("weights") == "distance",
        "skl2onnx loses weights='distance'",
    ),
    (
        _REGRESSORS,
        lambda step: step.get("loss", "poisson") in ("poisson", "gamma"),
        "skl2onnx loses the exponential, so the file may return the logarithm",
    ),
]


def _steps(model, name="model"):
    yield name, model
    for attribute in ("steps", "transformers_", "transformer_list"):
        for step in getattr(model, attribute, None) or ():
            if not isinstance(step[1], str):
                yield from _steps(step[1], step[0])


def _native(model, library, sample, columns, path):
    """Returns what writes the native file of a boosted model, and the answers of the sample."""
    if any(column.kind == "text" for column in columns):
        raise ExportError(f"{library} takes numbers: encode the texts of the sample as in training")
    if library == "lightgbm":
        _check_suffix(path, (".txt",), library)
        booster = getattr(model, "booster_", model)
        predicted = booster.predict(sample)
    else:
        _check_suffix(path, (".ubj", ".json"), library)
        import xgboost

        booster = model.get_booster() if hasattr(model, "get_booster") else model
        predicted = booster.predict(xgboost.DMatrix(sample))
    values = [value if isinstance(value, list) else [value] for value in predicted.tolist()]
    return booster.save_model, [{"prediction": value} for value in values]


def _onnx(model, columns, target_opset, convert):
    """Returns the bytes of an ONNX file and the names of its outputs."""
    if convert is not None:
        content = convert(model, columns)
    else:
        content = _skl2onnx(model, columns, target_opset)
    try:
        from onnx import load_from_string
    except ImportError as error:
        raise ExportError("the package onnx is missing: pip install onnx") from error
    graph = load_from_string(content).graph
    unknown = {port.name for port in graph.input} ^ {column.name for column in columns}
    if unknown:
        raise ExportError(f"the model and the sample have different inputs: {sorted(unknown)}")
    return content, [port.name for port in graph.output]


def _skl2onnx(model, columns, target_opset):
    try:
        from skl2onnx import to_onnx
        from skl2onnx.common import data_types
    except ImportError as error:
        raise ExportError("skl2onnx is missing: pip install skl2onnx") from error
    kinds = {
        "float": data_types.FloatTensorType,
        "int": data_types.Int64TensorType,
        "bool": data_types.BooleanTensorType,
        "text": data_types.StringTensorType,
    }
    is_text = len(columns) == 1 and columns[0].kind == "text"
    shape = lambda column: [None] if is_text else [None, column.width]
    types = [(column.name, kinds[column.kind](shape(column))) for column in columns]
    # A vector of probabilities instead of a map: faster, and it can be written into an array.
    options = {"zipmap": False} if hasattr(model, "predict_proba") else None
    return to_onnx(
        model, initial_types=types, options=options, target_opset=target_opset
    ).SerializeToString()


def _answers(model, sample, outputs):
    """Returns the answers of the model under the names that the file has for its outputs."""
    predicted = [model.predict(sample).tolist()] if hasattr(model, "predict") else []
    if hasattr(model, "predict_proba"):
        predicted.append(model.predict_proba(sample).tolist())
    if not predicted:
        raise ExportError(f"{type(model).__name__} has no predict: export an estimator or a pipeline")
    if len(predicted) > len(outputs):
        raise ExportError(f"the file has the outputs {outputs}, and the model has {len(predicted)}")
    # A regressor of one target has a tensor [None, 1] in the file.
    if len(predicted) == 1:
        predicted[0] = [value if isinstance(value, list) else [value] for value in predicted[0]]
    return [dict(zip(outputs, values)) for values in zip(*predicted)]


def _rows(columns):
    return [
        {column.name: value for column, value in zip(columns, values)}
        for values in zip(*(column.values for column in columns))
    ]


def _lines(rows):
    return "".join(json.dumps(_plain(row), ensure_ascii=False, allow_nan=False) + "\n" for row in rows)


def _plain(value):
    """Returns a value as JSON writes it for Brezel: NaN and infinities are strings."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def _column(name, values):
    if not isinstance(name, str) or not name:
        raise ExportError(f"the column name {name!r} is not a text: rename the columns of the sample")
    values = [value.item() if hasattr(value, "item") else value for value in values]
    kinds = {_kind(value) for value in values}
    if kinds <= {"float", "int"} and len(kinds) == 2:
        kinds = {"float"}
    if len(kinds) > 1:
        raise ExportError(f'the column "{name}" mixes {", ".join(sorted(kinds))}: convert it to one type')
    kind = kinds.pop() if kinds else "float"
    return Column(name, kind, 1, [float(value) if kind == "float" else value for value in values])


def _kind(value):
    for types, kind in ((bool, "bool"), (int, "int"), (float, "float"), (str, "text")):
        if isinstance(value, types):
            return kind
    hint = "fill missing texts, and write missing numbers as NaN"
    raise ExportError(f"the sample contains {value!r}, a {type(value).__name__}: {hint}")


def _vectors(values):
    width = {len(row) for row in values}
    if len(width) > 1:
        raise ExportError(f"the rows of the sample have different lengths: {sorted(width)}")
    kinds = {_kind(value) for row in values for value in row}
    if "text" in kinds:
        raise ExportError("an array of texts has no column names: pass a DataFrame or a dict")
    return Column("x", "float", width.pop(), [[float(value) for value in row] for row in values])


def _matrix(columns):
    if len(columns) == 1 and columns[0].width > 1:
        return columns[0].values
    return [[float(value) for value in row] for row in zip(*(column.values for column in columns))]


def _check_suffix(path, suffixes, library):
    if not path.endswith(suffixes):
        expected = " or ".join(suffixes)
        raise ExportError(f"a model of {library} is written to a {expected} file, not to {path}")
