"""Exports a trained model for Brezel, with golden rows that prove the export.

Copy this file beside your training script. It needs the library of your model. Nothing else is
imported, except skl2onnx for .onnx files.

    from brezel_export import export

    export(pipeline, X_test[:200], "model.json")   # scikit-learn: the answers of scikit-learn itself
    export(pipeline, X_test[:200], "model.onnx")   # scikit-learn, through skl2onnx: more kinds of models
    export(booster, X_test[:200], "model.txt")     # LightGBM: the native file
    export(booster, X_test[:200], "model.ubj")     # XGBoost: the native file (or .json)

Besides the model, `export` writes `model.rows.jsonl` (the sample, as rows of Brezel) and
`model.answers.jsonl` (the answers of the Python model). Check the export with:

    npx brezel verify model.onnx --rows model.rows.jsonl --expected model.answers.jsonl
"""

import array
import base64
import json
import math
import os
import sys

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
    path: model.json or model.onnx for scikit-learn, model.txt for LightGBM, model.ubj or model.json
        for XGBoost. A JSON file of scikit-learn contains the numbers of the model in float64.
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
        _check_suffix(path, (".json", ".onnx") if convert is None else (".onnx",), library)
        if path.endswith(".json"):
            text, methods = _json(model, columns)
            content, answers = text.encode("utf-8"), _method_answers(model, sample, methods)
        else:
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
    if path.endswith(".onnx"):
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


# The JSON file: a list of nodes, each with the numbers of its inputs. Brezel's importer
# (packages/scikit-learn) documents each kind of node. All numbers are float64, as in scikit-learn.


class _Frame:
    """Named columns of one value: pairs of a node and its kind (float, int, bool or text)."""

    def __init__(self, columns):
        self.columns = columns


class _Vector:
    """A node whose value is a vector of `width` numbers."""

    def __init__(self, node, width):
        self.node, self.width = node, width


class _Graph:
    """The nodes of a file. Each method adds a node and returns its number."""

    def __init__(self):
        self.nodes = []

    def add(self, op, *inputs, **attributes):
        settings = {name: value for name, value in attributes.items() if value is not None}
        self.nodes.append({"op": op, "in": list(inputs), **settings})
        return len(self.nodes) - 1

    def arithmetic(self, operation, left, right):
        if isinstance(right, int) and not isinstance(right, bool):
            return self.add("arithmetic", left, right, operation=operation)
        return self.add("arithmetic", left, operation=operation, operand=_floats(right))

    def plus(self, node, numbers):
        return self.arithmetic("add", node, _list(numbers))

    def times(self, node, numbers):
        return self.arithmetic("multiply", node, _list(numbers))

    def minus(self, node, numbers):
        return self.arithmetic("subtract", node, _list(numbers))

    def over(self, node, numbers):
        return self.arithmetic("divide", node, _list(numbers))

    def map(self, function, node):
        return self.add("map", node, function=function)

    def matmul(self, node, weights):
        """Multiplies by a matrix with a row for each element of the node."""
        return self.add("matmul", node, weights=_floats(weights))

    def concat(self, nodes):
        return nodes[0] if len(nodes) == 1 else self.add("concat", *nodes)

    def vector(self, value):
        """Returns a value as one vector. Texts have no numbers."""
        if isinstance(value, _Vector):
            return value
        texts = [column for column, kind in value.columns if kind == "text"]
        if texts:
            raise ExportError("a step reads texts as numbers: encode the texts before it")
        return _Vector(self.concat([column for column, _ in value.columns]), len(value.columns))


def _list(numbers):
    """Returns numbers that may be a scalar, a list or an array as a flat list."""
    values = numbers.ravel().tolist() if hasattr(numbers, "ravel") else numbers
    return [float(value) for value in (values if isinstance(values, list) else [values])]


def _array(kind, values, shape):
    return {kind: base64.b64encode(values.tobytes()).decode("ascii"), "shape": shape}


def _floats(values):
    """Returns numbers as the base64 text of their float64 bytes, with the shape of the array."""
    if hasattr(values, "toarray"):
        values = values.toarray()
    shape = list(values.shape) if hasattr(values, "shape") else [len(values)]
    if sys.byteorder != "little":
        raise ExportError("export the model on a little-endian machine")
    return _array("f64", array.array("d", _list(values)), shape)


def _ints(values):
    flat = array.array("i", [int(value) for value in values])
    return _array("i32", flat, [len(flat)])


def _labels(classes):
    """Returns the labels of classes: texts, integers, or booleans as 0 and 1."""
    values = classes.tolist()
    if all(isinstance(value, bool) for value in values):
        return [int(value) for value in values]
    if all(isinstance(value, float) and value.is_integer() for value in values):
        return [int(value) for value in values]
    if not all(isinstance(value, str) for value in values) and not all(isinstance(value, int) for value in values):
        raise ExportError(f"the labels {values[:3]} are neither texts nor integers")
    return values


def _method_answers(model, sample, methods):
    """Returns the answers of the model: for each output of a JSON file, the result of its method."""
    answers = {}
    for name, method in methods.items():
        values = getattr(model, method)(sample)
        values = values.toarray() if hasattr(values, "toarray") else values
        values = values.tolist()
        answers[name] = [int(value) if name == "label" and not isinstance(value, str) else value for value in values]
    return [dict(zip(answers, row)) for row in zip(*answers.values())]


def _json(model, columns):
    """Returns the text of the JSON file, and the names of its outputs with the methods that compute them."""
    graph = _Graph()
    inputs = [{"name": column.name, "kind": column.kind, "width": column.width} for column in columns]
    nodes = [(graph.add("input", input=column.name), column.kind) for column in columns]
    wide = len(columns) == 1 and columns[0].width > 1
    value = _Vector(nodes[0][0], columns[0].width) if wide else _Frame(nodes)
    value_names = None if wide else [column.name for column in columns]
    outputs = _convert(_Context(graph, value_names), model, value, is_last=True)
    if not isinstance(outputs, dict):
        outputs = {"features": (graph.vector(outputs).node, "transform")}
    library = sys.modules.get("sklearn")
    document = {
        "brezel_export": 1,
        "producer": f"scikit-learn {getattr(library, '__version__', '')}".strip(),
        "inputs": inputs,
        "nodes": graph.nodes,
        "outputs": {name: node for name, (node, _) in outputs.items()},
    }
    return json.dumps(document, ensure_ascii=False, allow_nan=False), {
        name: method for name, (_, method) in outputs.items()
    }


class _Context:
    def __init__(self, graph, names):
        self.graph, self.names = graph, names


def _convert(context, model, value, is_last=False):
    """Adds an estimator to the graph. Returns its features, or its outputs if it predicts."""
    kind = type(model).__name__
    if kind == "Pipeline":
        steps = [step for _, step in model.steps if step is not None and step != "passthrough"]
        for index, step in enumerate(steps):
            value = _convert(context, step, value, is_last and index == len(steps) - 1)
        return value
    convert = _CONVERTERS.get(kind)
    if convert is None:
        raise ExportError(
            f"{kind} cannot be written to a JSON file; export to a .onnx file, or write to the Brezel project"
        )
    if convert in _PREDICTORS and not is_last:
        raise ExportError(f"{kind} predicts, so it must be the last step")
    return convert(context, model, value)


_CONVERTERS = {}
_PREDICTORS = set()


def _converts(*kinds, predicts=False):
    def register(function):
        for kind in kinds:
            _CONVERTERS[kind] = function
        if predicts:
            _PREDICTORS.add(function)
        return function

    return register


# Steps that transform


@_converts("StandardScaler", "RobustScaler")
def _scaler(context, model, value):
    """(x - mean) / scale, or (x - median) / scale; both estimators may leave out either step."""
    graph, x = context.graph, context.graph.vector(value)
    is_standard = type(model).__name__ == "StandardScaler"
    centers, scales = (model.with_mean, model.with_std) if is_standard else (model.with_centering, model.with_scaling)
    node = x.node
    if centers:
        node = graph.minus(node, model.mean_ if is_standard else model.center_)
    if scales:
        node = graph.over(node, model.scale_)
    return _Vector(node, x.width)


@_converts("MinMaxScaler")
def _min_max_scaler(context, model, value):
    graph, x = context.graph, context.graph.vector(value)
    node = graph.plus(graph.times(x.node, model.scale_), model.min_)
    if getattr(model, "clip", False):
        low, high = model.feature_range
        node = graph.arithmetic("minimum", graph.arithmetic("maximum", node, [float(low)]), [float(high)])
    return _Vector(node, x.width)


@_converts("MaxAbsScaler")
def _max_abs_scaler(context, model, value):
    x = context.graph.vector(value)
    return _Vector(context.graph.over(x.node, model.scale_), x.width)


@_converts("Normalizer")
def _normalizer(context, model, value):
    x = context.graph.vector(value)
    return _Vector(context.graph.add("norm", x.node, norm=model.norm), x.width)


@_converts("Binarizer")
def _binarizer(context, model, value):
    x = context.graph.vector(value)
    return _Vector(_above(context.graph, x.node, float(model.threshold)), x.width)


def _above(graph, node, threshold):
    """Returns 1 for each number above a threshold, otherwise 0."""
    return graph.add("compare", node, comparison="greater", operand=_floats([threshold]))


@_converts("SimpleImputer")
def _simple_imputer(context, model, value):
    graph = context.graph
    if getattr(model, "add_indicator", False):
        raise ExportError("SimpleImputer: add_indicator is unsupported")
    statistics = model.statistics_.tolist()
    if isinstance(value, _Frame) and any(kind == "text" for _, kind in value.columns):
        missing = model.missing_values
        if not isinstance(missing, str) or len(statistics) != len(value.columns):
            raise ExportError('SimpleImputer over texts needs missing_values="" or another text')
        columns = [
            (graph.add("impute_text", node, missing=missing, value=fill), "text")
            for (node, _), fill in zip(value.columns, statistics)
        ]
        return _Frame(columns)
    x = graph.vector(value)
    missing = float("nan") if model.missing_values is None else float(model.missing_values)
    known = [index for index, fill in enumerate(statistics) if not (isinstance(fill, float) and math.isnan(fill))]
    node, values = x.node, statistics
    if len(known) < len(statistics) and not getattr(model, "keep_empty_features", False):
        node, values = graph.add("select", node, columns=_ints(known)), [statistics[index] for index in known]
    filled = graph.add("impute", node, values=_floats(values), missing=_floats([missing]))
    return _Vector(filled, len(values))


def _columns(context, value):
    """Returns one node for each column, with its kind."""
    if isinstance(value, _Frame):
        return value.columns
    return [
        (context.graph.add("select", value.node, columns=_ints([index])), "float") for index in range(value.width)
    ]


def _categories(values, kind):
    """Returns categories as texts, or as float64 numbers if the column has numbers."""
    listed = values.tolist()
    if kind == "text":
        if not all(isinstance(one, str) for one in listed):
            raise ExportError("a column of texts has categories that are not texts")
        return listed
    return _floats([float(one) for one in listed])


@_converts("OneHotEncoder")
def _one_hot_encoder(context, model, value):
    graph, nodes, width = context.graph, [], 0
    if any(one is not None for one in getattr(model, "infrequent_categories_", ()) or ()):
        raise ExportError("OneHotEncoder: infrequent categories are unsupported")
    drops = getattr(model, "drop_idx_", None)
    drops = [None] * len(model.categories_) if drops is None else drops.tolist()
    for (node, kind), categories, drop in zip(_columns(context, value), model.categories_, drops):
        unknown = "error" if model.handle_unknown == "error" else "zeros"
        hot = graph.add("one_hot", node, categories=_categories(categories, kind), unknown=unknown)
        kept = [index for index in range(len(categories)) if index != drop]
        nodes.append(hot if drop is None else graph.add("select", hot, columns=_ints(kept)))
        width += len(kept)
    return _Vector(graph.concat(nodes), width)


@_converts("OrdinalEncoder")
def _ordinal_encoder(context, model, value):
    graph, nodes = context.graph, []
    unknown = model.unknown_value if model.handle_unknown == "use_encoded_value" else None
    for (node, kind), categories in zip(_columns(context, value), model.categories_):
        replace = None if unknown is None else _floats([float(unknown)])
        nodes.append(graph.add("ordinal", node, categories=_categories(categories, kind), unknown=replace))
    return _Vector(graph.concat(nodes), len(nodes))


@_converts("KBinsDiscretizer")
def _k_bins_discretizer(context, model, value):
    graph, nodes, width = context.graph, [], 0
    for (node, _), edges in zip(_columns(context, value), model.bin_edges_):
        inner = edges.tolist()[1:-1]
        nodes.append(graph.add("bin", node, edges=_floats(inner), one_hot=model.encode != "ordinal"))
        width += 1 if model.encode == "ordinal" else len(inner) + 1
    return _Vector(graph.concat(nodes), width)


@_converts("PolynomialFeatures")
def _polynomial_features(context, model, value):
    graph, x = context.graph, context.graph.vector(value)
    terms = [[index for index, power in enumerate(row) for _ in range(int(power))] for row in model.powers_.tolist()]
    return _Vector(graph.add("products", x.node, terms=terms), len(terms))


@_converts("PCA", "TruncatedSVD")
def _projection(context, model, value):
    graph, x = context.graph, context.graph.vector(value)
    node = x.node if getattr(model, "mean_", None) is None else graph.minus(x.node, model.mean_)
    node = graph.matmul(node, model.components_.T)
    if getattr(model, "whiten", False):
        node = graph.over(node, model.explained_variance_**0.5)
    return _Vector(node, len(model.components_))


@_converts("SelectKBest", "SelectPercentile", "VarianceThreshold", "SelectFromModel", "RFE", "RFECV", "SelectFpr")
def _selection(context, model, value):
    columns = model.get_support(indices=True).tolist()
    graph, x = context.graph, context.graph.vector(value)
    return _Vector(graph.add("select", x.node, columns=_ints(columns)), len(columns))


@_converts("FeatureUnion")
def _feature_union(context, model, value):
    graph, nodes, width = context.graph, [], 0
    for name, step in model.transformer_list:
        if step == "drop":
            continue
        part = graph.vector(value if step == "passthrough" else _convert(context, step, value))
        weight = (model.transformer_weights or {}).get(name)
        nodes.append(part.node if weight is None else graph.times(part.node, [float(weight)]))
        width += part.width
    return _Vector(graph.concat(nodes), width)


@_converts("ColumnTransformer")
def _column_transformer(context, model, value):
    graph, nodes, width = context.graph, [], 0
    for _, step, wanted in model.transformers_:
        if isinstance(step, str) and step == "drop":
            continue
        selected = _selected(context, value, wanted)
        if selected is None:
            continue
        part = selected if isinstance(step, str) else _convert(context, step, selected)
        part = graph.vector(part)
        nodes.append(part.node)
        width += part.width
    return _Vector(graph.concat(nodes), width)


def _selected(context, value, wanted):
    """Returns the columns that a ColumnTransformer selects. A single name selects one text."""
    if callable(wanted):
        raise ExportError("ColumnTransformer: list the columns by name; functions cannot be exported")
    total = value.width if isinstance(value, _Vector) else len(value.columns)
    if isinstance(wanted, slice):
        wanted = list(range(total))[wanted]
    wanted = [wanted] if isinstance(wanted, (str, int)) else list(wanted)
    if wanted and all(isinstance(one, bool) or type(one).__name__ == "bool_" for one in wanted):
        wanted = [index for index, one in enumerate(wanted) if one]
    indices = []
    for one in wanted:
        if isinstance(one, str):
            if context.names is None or one not in context.names:
                raise ExportError(f'the sample has no column "{one}"')
            one = context.names.index(one)
        indices.append(int(one) % total)
    if not indices:
        return None
    if isinstance(value, _Vector):
        return _Vector(context.graph.add("select", value.node, columns=_ints(indices)), len(indices))
    return _Frame([value.columns[index] for index in indices])


@_converts("CountVectorizer", "TfidfVectorizer", "HashingVectorizer")
def _vectorizer(context, model, value):
    if not isinstance(value, _Frame) or len(value.columns) != 1 or value.columns[0][1] != "text":
        raise ExportError(f"{type(model).__name__} needs one column of texts")
    if model.preprocessor is not None or model.tokenizer is not None or callable(model.analyzer):
        raise ExportError(f"{type(model).__name__}: functions of yours cannot be exported")
    if callable(model.strip_accents):
        raise ExportError(f"{type(model).__name__}: strip_accents must be a name")
    stop_words = model.get_stop_words()
    options = {
        "analyzer": model.analyzer,
        "ngram_range": list(model.ngram_range),
        "lowercase": bool(model.lowercase),
        "strip_accents": model.strip_accents,
        "stop_words": None if stop_words is None or model.analyzer != "word" else sorted(stop_words),
        "token_pattern": model.token_pattern if model.analyzer == "word" else None,
        "binary": bool(model.binary),
    }
    graph, (node, _) = context.graph, value.columns[0]
    if type(model).__name__ == "HashingVectorizer":
        signed = bool(model.alternate_sign)
        counts = graph.add("hash_terms", node, columns=model.n_features, alternate_sign=signed, **options)
        width, norm = model.n_features, model.norm
        return _Vector(counts if norm is None else graph.add("norm", counts, norm=norm), width)
    terms = sorted(model.vocabulary_, key=model.vocabulary_.get)
    counts = _Vector(graph.add("count_terms", node, terms=terms, **options), len(terms))
    return _weighted(graph, counts, model._tfidf) if type(model).__name__ == "TfidfVectorizer" else counts


@_converts("TfidfTransformer")
def _tfidf_transformer(context, model, value):
    return _weighted(context.graph, context.graph.vector(value), model)


def _weighted(graph, counts, model):
    node = counts.node
    if model.sublinear_tf:
        node = graph.add("sublinear", node)
    if model.use_idf:
        node = graph.times(node, model.idf_)
    return _Vector(node if model.norm is None else graph.add("norm", node, norm=model.norm), counts.width)


# Estimators that predict


def _regression(node):
    return {"prediction": (node, "predict")}


def _classification(graph, classes, probabilities=None, decision=None, index=None):
    """Returns the outputs of a classifier. `index` is the node of the class, if it is not the
    class with the greatest probability or decision."""
    labels = _labels(classes)
    score = probabilities if probabilities is not None else decision
    if index is None:
        index = graph.add("argmax", score)
    outputs = {"label": (graph.add("label", index, labels=labels), "predict")}
    if probabilities is not None:
        outputs["probabilities"] = (probabilities, "predict_proba")
    else:
        outputs["decision"] = (decision, "decision_function")
    return outputs


def _linear(graph, model, node):
    """Returns the decision of a linear model: a number for each row of `coef_`."""
    coefficients = model.coef_ if len(model.coef_.shape) == 2 else model.coef_.reshape(1, -1)
    scores = graph.matmul(node, coefficients.T)
    intercept = _list(model.intercept_)
    return scores if not any(intercept) else graph.plus(scores, intercept)


def _two(graph, probability):
    """Returns the probabilities of two classes from the probability of the second class."""
    return graph.concat([graph.arithmetic("add", graph.times(probability, [-1.0]), [1.0]), probability])


def _divided(graph, node):
    """Divides numbers by their sum."""
    return graph.arithmetic("divide", node, graph.add("reduce", node, reduction="sum"))


_LINEAR_REGRESSORS = (
    "LinearRegression Ridge RidgeCV Lasso LassoCV ElasticNet ElasticNetCV Lars LassoLars BayesianRidge ARDRegression "
    "SGDRegressor HuberRegressor TheilSenRegressor LinearSVR PassiveAggressiveRegressor OrthogonalMatchingPursuit"
).split()


@_converts(*_LINEAR_REGRESSORS, predicts=True)
def _linear_regressor(context, model, value):
    graph, x = context.graph, context.graph.vector(value)
    return _regression(_linear(graph, model, x.node))


@_converts("PoissonRegressor", "GammaRegressor", "TweedieRegressor", predicts=True)
def _generalized_linear_regressor(context, model, value):
    graph, x = context.graph, context.graph.vector(value)
    raw = _linear(graph, model, x.node)
    is_identity = type(model).__name__ == "TweedieRegressor" and (
        model.link == "identity" or (model.link == "auto" and model.power <= 0)
    )
    return _regression(raw if is_identity else graph.map("exp", raw))


_LINEAR_CLASSIFIERS = (
    "LogisticRegression LogisticRegressionCV SGDClassifier LinearSVC Perceptron RidgeClassifier RidgeClassifierCV "
    "PassiveAggressiveClassifier LinearDiscriminantAnalysis"
).split()


@_converts(*_LINEAR_CLASSIFIERS, predicts=True)
def _linear_classifier(context, model, value):
    graph, x = context.graph, context.graph.vector(value)
    decision, kind = _linear(graph, model, x.node), type(model).__name__
    is_binary = len(model.classes_) == 2
    index = graph.add("index_above", decision) if is_binary else graph.add("argmax", decision)
    probabilities = None
    if kind == "LinearDiscriminantAnalysis":
        probabilities = _two(graph, graph.map("sigmoid", decision)) if is_binary else graph.add("softmax", decision)
    elif kind.startswith("LogisticRegression"):
        setting = getattr(model, "multi_class", "auto")
        is_ovr = setting == "ovr" or (setting == "auto" and (is_binary or model.solver == "liblinear"))
        if is_ovr:
            probabilities = _one_versus_rest(graph, decision, is_binary)
        else:
            both = graph.concat([graph.times(decision, [-1.0]), decision]) if is_binary else decision
            probabilities = graph.add("softmax", both)
    elif kind == "SGDClassifier" and model.loss in ("log_loss", "log"):
        probabilities = _one_versus_rest(graph, decision, is_binary)
    return _classification(graph, model.classes_, probabilities, decision, index)


def _one_versus_rest(graph, decision, is_binary):
    each = graph.map("sigmoid", decision)
    return _two(graph, each) if is_binary else _divided(graph, each)


@_converts("MultinomialNB", "ComplementNB", "BernoulliNB", predicts=True)
def _naive_bayes(context, model, value):
    graph, x = context.graph, context.graph.vector(value)
    kind, node, weights = type(model).__name__, x.node, model.feature_log_prob_
    prior = model.class_log_prior_
    if kind == "BernoulliNB":
        if model.binarize is not None:
            node = _above(graph, node, float(model.binarize))
        absent = _log1mexp(weights)
        weights, prior = weights - absent, prior + absent.sum(axis=1)
    joint = graph.matmul(node, weights.T)
    if kind != "ComplementNB" or len(model.classes_) == 1:
        joint = graph.plus(joint, prior)
    return _classification(graph, model.classes_, graph.add("softmax", joint), index=graph.add("argmax", joint))


def _log1mexp(logarithms):
    """Returns log(1 - e^x) for each number, as scikit-learn computes it."""
    import numpy

    return numpy.log(1 - numpy.exp(logarithms))


@_converts("GaussianNB", predicts=True)
def _gaussian_naive_bayes(context, model, value):
    graph, x = context.graph, context.graph.vector(value)
    import numpy

    joints = []
    for mean, variance, prior in zip(model.theta_, model.var_, model.class_prior_):
        centered = graph.minus(x.node, mean)
        squares = graph.over(graph.arithmetic("multiply", centered, centered), variance)
        constant = numpy.log(prior) - 0.5 * numpy.sum(numpy.log(2.0 * numpy.pi * variance))
        distance = graph.times(graph.add("reduce", squares, reduction="sum"), [-0.5])
        joints.append(graph.plus(distance, [constant]))
    joint = graph.concat(joints)
    return _classification(graph, model.classes_, graph.add("softmax", joint), index=graph.add("argmax", joint))


def _walk(trees):
    """Returns the lists of a forest with all trees, each child after its parent."""
    lists = {name: [] for name in ("roots", "feature", "threshold", "left", "right", "missing_left", "cover")}
    for tree in trees:
        offset = len(lists["feature"])
        lists["roots"].append(offset)
        for name in ("feature", "threshold", "missing_left", "cover"):
            lists[name].extend(tree[name])
        for name in ("left", "right"):
            lists[name].extend(child + offset if child >= 0 else -1 for child in tree[name])
    return lists


def _forest(graph, node, trees, targets, base, aggregate):
    """Adds a forest. `start` is the index of a node's first value in `weights`; inner nodes have no values.
    `target` is the target of a node's value, or -1 if a leaf has a value for each target."""
    lists = _walk(trees)
    weights, starts, target = [], [], []
    for tree in trees:
        for values in tree["values"]:
            starts.append(len(weights))
            weights.extend(values)
    for tree in trees:
        target.extend([tree.get("target", -1)] * len(tree["feature"]))
    return graph.add(
        "forest",
        node,
        roots=_ints(lists["roots"]),
        feature=_ints(lists["feature"]),
        threshold=_floats(lists["threshold"]),
        left=_ints(lists["left"]),
        right=_ints(lists["right"]),
        missing_left=_ints(lists["missing_left"]),
        start=_ints(starts),
        target=_ints(target),
        weights=_floats(weights),
        cover=_floats(lists["cover"]),
        base=_floats(base),
        targets=targets,
        aggregate=aggregate,
    )


def _tree(tree, values, target=-1):
    """Returns the lists of a tree of scikit-learn (`tree_`). Values of inner nodes are empty."""
    left = tree.children_left.tolist()
    missing = getattr(tree, "missing_go_to_left", None)
    return {
        "feature": [max(0, feature) for feature in tree.feature.tolist()],
        "threshold": tree.threshold.tolist(),
        "left": left,
        "right": tree.children_right.tolist(),
        "missing_left": [0] * len(left) if missing is None else missing.tolist(),
        "cover": tree.weighted_n_node_samples.tolist(),
        "values": [values(index) if left[index] < 0 else [] for index in range(len(left))],
        "target": target,
    }


_TREES = "DecisionTree ExtraTree RandomForest ExtraTrees".split()


@_converts(*(f"{kind}{task}" for kind in _TREES for task in ("Classifier", "Regressor")), predicts=True)
def _trees(context, model, value):
    graph, x = context.graph, context.graph.vector(value)
    if model.n_outputs_ != 1:
        raise ExportError(f"{type(model).__name__} with several outputs is unsupported")
    members = getattr(model, "estimators_", [model])
    is_classifier = hasattr(model, "classes_")
    trees = []
    for member in members:
        table = member.tree_.value[:, 0, :]
        if is_classifier:
            table = table / table.sum(axis=1, keepdims=True)
        trees.append(_tree(member.tree_, lambda index, table=table: table[index].tolist()))
    rounded = graph.add("round32", x.node)  # scikit-learn converts rows to float32
    targets = len(model.classes_) if is_classifier else 1
    scores = _forest(graph, rounded, trees, targets, [0.0] * targets, "average")
    return _classification(graph, model.classes_, scores) if is_classifier else _regression(scores)


@_converts("GradientBoostingClassifier", "GradientBoostingRegressor", predicts=True)
def _gradient_boosting(context, model, value):
    graph, x = context.graph, context.graph.vector(value)
    import numpy

    if model.init is not None and model.init != "zero" and type(model.init_).__name__ not in ("DummyClassifier", "DummyRegressor"):
        raise ExportError("a gradient boosting model that starts with another estimator is unsupported")
    base = model._raw_predict_init(numpy.zeros((1, x.width), dtype=numpy.float32)).ravel().tolist()
    trees = []
    for stage in model.estimators_:
        for target, member in enumerate(stage):
            table = member.tree_.value[:, 0, 0] * model.learning_rate
            trees.append(_tree(member.tree_, lambda index, table=table: [float(table[index])], target))
    raw = _forest(graph, graph.add("round32", x.node), trees, len(base), base, "sum")
    if not hasattr(model, "classes_"):
        return _regression(raw)
    if len(base) > 1:
        return _classification(graph, model.classes_, graph.add("softmax", raw), index=graph.add("argmax", raw))
    factor = 2.0 if model.loss == "exponential" else 1.0
    probability = graph.map("sigmoid", raw if factor == 1.0 else graph.times(raw, [factor]))
    return _classification(graph, model.classes_, _two(graph, probability))


@_converts("HistGradientBoostingClassifier", "HistGradientBoostingRegressor", predicts=True)
def _hist_gradient_boosting(context, model, value):
    graph, x = context.graph, context.graph.vector(value)
    base = model._baseline_prediction.ravel().tolist()
    trees = []
    for stage in model._predictors:
        for target, predictor in enumerate(stage):
            nodes = predictor.nodes
            if "is_categorical" in nodes.dtype.names and nodes["is_categorical"].any():
                raise ExportError("HistGradientBoosting with categorical features is unsupported in JSON files")
            leaf = nodes["is_leaf"].astype(bool).tolist()
            trees.append(
                {
                    "feature": nodes["feature_idx"].tolist(),
                    "threshold": [_finite(one) for one in nodes["num_threshold"].tolist()],
                    "left": [-1 if leaf[i] else int(child) for i, child in enumerate(nodes["left"])],
                    "right": [-1 if leaf[i] else int(child) for i, child in enumerate(nodes["right"])],
                    "missing_left": nodes["missing_go_to_left"].tolist(),
                    "cover": [float(one) for one in nodes["count"]],
                    "values": [[float(one)] if leaf[i] else [] for i, one in enumerate(nodes["value"])],
                    "target": target,
                }
            )
    raw = _forest(graph, x.node, trees, len(base), base, "sum")
    if not hasattr(model, "classes_"):
        return _regression(graph.map("exp", raw) if model.loss in ("poisson", "gamma") else raw)
    probabilities = _two(graph, graph.map("sigmoid", raw)) if len(base) == 1 else graph.add("softmax", raw)
    return _classification(graph, model.classes_, probabilities)


def _finite(number):
    """Returns a threshold that a file can hold: all numbers are below the greatest float64."""
    return number if math.isfinite(number) else math.copysign(sys.float_info.max, number)


@_converts("MLPClassifier", "MLPRegressor", predicts=True)
def _mlp(context, model, value):
    graph, x = context.graph, context.graph.vector(value)
    functions = {"relu": "relu", "tanh": "tanh", "logistic": "sigmoid", "identity": None}
    node = x.node
    for index, (weights, bias) in enumerate(zip(model.coefs_, model.intercepts_)):
        node = graph.plus(graph.matmul(node, weights), bias)
        function = functions[model.activation] if index < len(model.coefs_) - 1 else None
        node = node if function is None else graph.map(function, node)
    if not hasattr(model, "classes_"):
        return _regression(node)
    if model.out_activation_ == "softmax":
        return _classification(graph, model.classes_, graph.add("softmax", node))
    if len(model.classes_) != 2 or model.n_outputs_ != 1:
        raise ExportError("MLPClassifier with several labels is unsupported")
    probability = graph.map("sigmoid", node)
    index = graph.add("index_above", graph.arithmetic("subtract", probability, [0.5]))
    return _classification(graph, model.classes_, _two(graph, probability), index=index)


@_converts("KMeans", "MiniBatchKMeans", predicts=True)
def _k_means(context, model, value):
    graph, x = context.graph, context.graph.vector(value)
    centers = model.cluster_centers_
    products = graph.matmul(x.node, centers.T * -2.0)
    length = graph.add("reduce", x.node, reduction="sumOfSquares")
    squares = graph.plus(graph.arithmetic("add", products, length), (centers**2).sum(axis=1))
    distances = graph.map("sqrt", graph.arithmetic("maximum", squares, [0.0]))
    nearest = graph.add("argmax", graph.times(graph.plus(products, (centers**2).sum(axis=1)), [-1.0]))
    return {"cluster": (nearest, "predict"), "distances": (distances, "transform")}


@_converts("SVC", "NuSVC", "SVR", "NuSVR", predicts=True)
def _svm(context, model, value):
    graph, x = context.graph, context.graph.vector(value)
    if callable(model.kernel) or model.kernel == "precomputed":
        raise ExportError(f"{type(model).__name__}: only the kernels of scikit-learn can be exported")
    kernel = _kernel(graph, model, x.node)
    if not hasattr(model, "classes_"):
        return _regression(graph.plus(graph.matmul(kernel, model.dual_coef_.T), model.intercept_))
    if len(model.classes_) > 2:
        return _pairs(graph, model, kernel)
    decision = graph.plus(graph.matmul(kernel, model.dual_coef_.T), model.intercept_)
    return _classification(graph, model.classes_, decision=decision, index=graph.add("index_above", decision))


def _kernel(graph, model, node):
    """Returns the kernel function of the row and each support vector."""
    vectors = model.support_vectors_
    products, gamma, offset = graph.matmul(node, vectors.T), float(model._gamma), float(model.coef0)
    if model.kernel == "linear":
        return products
    if model.kernel == "poly":
        scaled = graph.plus(graph.times(products, [gamma]), [offset])
        return graph.arithmetic("power", scaled, [float(model.degree)])
    if model.kernel == "sigmoid":
        return graph.map("tanh", graph.plus(graph.times(products, [gamma]), [offset]))
    length = graph.add("reduce", node, reduction="sumOfSquares")
    squares = graph.plus(graph.arithmetic("add", graph.times(products, [-2.0]), length), (vectors**2).sum(axis=1))
    return graph.map("exp", graph.times(squares, [-gamma]))


def _pairs(graph, model, kernel):
    """Returns the label with the most votes of all pairs of classes, and the votes."""
    import numpy

    count, ends = len(model.classes_), numpy.cumsum(model.n_support_).tolist()
    ranges = [range(end - size, end) for end, size in zip(ends, model.n_support_.tolist())]
    pairs = [(one, other) for one in range(count) for other in range(one + 1, count)]
    weights = numpy.zeros((len(model.support_vectors_), len(pairs)))
    for column, (one, other) in enumerate(pairs):
        for row in ranges[one]:
            weights[row, column] = model.dual_coef_[other - 1, row]
        for row in ranges[other]:
            weights[row, column] = model.dual_coef_[one, row]
    decision = graph.plus(graph.matmul(kernel, weights), model.intercept_)
    won = _above(graph, decision, 0.0)
    for_first, for_second = numpy.zeros((len(pairs), count)), numpy.zeros((len(pairs), count))
    for row, (one, other) in enumerate(pairs):
        for_first[row, one], for_second[row, other] = 1.0, 1.0
    lost = graph.plus(graph.times(won, [-1.0]), [1.0])
    votes = graph.arithmetic("add", graph.matmul(won, for_first), graph.matmul(lost, for_second))
    label = graph.add("label", graph.add("argmax", votes), labels=_labels(model.classes_))
    return {"label": (label, "predict")}


@_converts("VotingClassifier", predicts=True)
def _voting_classifier(context, model, value):
    graph = context.graph
    if model.voting != "soft":
        raise ExportError("VotingClassifier: only voting='soft' can be exported")
    weights = [1.0] * len(model.estimators_) if model.weights is None else [float(one) for one in model.weights]
    total = None
    for member, weight in zip(model.estimators_, weights):
        outputs = _convert(context, member, value, is_last=True)
        if "probabilities" not in outputs:
            raise ExportError(f"{type(member).__name__} has no probabilities in a JSON file")
        part = graph.times(outputs["probabilities"][0], [weight])
        total = part if total is None else graph.arithmetic("add", total, part)
    return _classification(graph, model.classes_, graph.over(total, [sum(weights)]))
