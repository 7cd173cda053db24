"""Tests of the parts that need no library: python3 tools/python/test_brezel_export.py"""

import json
import os
import tempfile
import unittest

from brezel_export import ExportError, columns_of, export, faults_of


class Frame:
    """A DataFrame, as far as brezel_export uses one."""

    iloc = None

    def __init__(self, **columns):
        self.values, self.columns = columns, list(columns)

    def __getitem__(self, name):
        return self.values[name]


class Booster:
    """A model of a module with the name xgboost or lightgbm."""

    def __init__(self, answers):
        self.answers = answers

    def predict(self, sample):
        return self

    def tolist(self):
        return self.answers

    def save_model(self, path):
        with open(path, "w") as file:
            file.write("tree\n")


class LightGbm(Booster):
    __module__ = "lightgbm.basic"


class Step:
    def __init__(self, **settings):
        self.__dict__.update(settings)


class TfidfVectorizer(Step):
    pass


class Pipeline(Step):
    pass


class Columns(unittest.TestCase):
    def test_a_frame_has_an_input_for_each_column(self):
        columns = columns_of(Frame(age=[41, 7], fee=[1, 2.5], city=["Rom", "Bern"], new=[True, False]))
        kinds = [(column.name, column.kind, column.width) for column in columns]
        expected = [("age", "int", 1), ("fee", "float", 1), ("city", "text", 1), ("new", "bool", 1)]
        self.assertEqual(kinds, expected)

    def test_rows_of_numbers_are_one_vector_and_texts_are_one_text(self):
        (vector,) = columns_of([[1, 2.5], [3, 4]])
        self.assertEqual((vector.name, vector.kind, vector.width), ("x", "float", 2))
        (text,) = columns_of(["good", "bad"])
        self.assertEqual((text.name, text.kind), ("text", "text"))

    def test_a_sample_that_cannot_be_rows_is_an_error(self):
        for sample, message in [
            ([], "empty"),
            ([[1], [1, 2]], "different lengths"),
            ([["a", "b"]], "no column names"),
            (["a", None], "NoneType"),
            (Frame(city=["Rom", 3]), 'column "city" mixes int, text'),
        ]:
            with self.subTest(message), self.assertRaisesRegex(ExportError, message):
                columns_of(sample)
        frame = Frame()
        frame.columns, frame.values = [0], {0: [1]}
        with self.assertRaisesRegex(ExportError, "column name 0"):
            columns_of(frame)


class Export(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def test_a_booster_is_written_with_golden_rows(self):
        export(LightGbm([0.25, 0.75]), [[1, float("nan")], [3, float("inf")]], self.path("model.txt"))
        self.assertEqual(self.read("model.rows.jsonl"), [{"x": [1.0, "NaN"]}, {"x": [3.0, "Infinity"]}])
        answers = [{"prediction": [0.25]}, {"prediction": [0.75]}]
        self.assertEqual(self.read("model.answers.jsonl"), answers)

    def test_an_error_writes_no_file(self):
        for model, name, message in [
            (LightGbm([1]), "model.onnx", "to a .txt file"),
            (Pipeline(), "model.txt", "to a .json or .onnx file"),
            (Pipeline(steps=[("words", Step())]), "model.json", "Step cannot be written"),
        ]:
            with self.subTest(message), self.assertRaisesRegex(ExportError, message):
                export(model, [[1, 2]], self.path(name))
        with self.assertRaisesRegex(ExportError, "texts of the sample"):
            export(LightGbm([1]), ["good"], self.path("model.txt"))
        self.assertEqual(os.listdir(self.folder.name), [])


class Faults(unittest.TestCase):
    def test_settings_that_an_exporter_loses_are_named_with_their_step(self):
        steps = [("words", TfidfVectorizer(min_df=2)), ("chars", TfidfVectorizer(min_df=1))]
        (fault,) = faults_of(Pipeline(steps=steps))
        self.assertRegex(fault, "^words: max_features and min_df")

    def test_token_patterns_that_skl2onnx_replaces(self):
        for settings, found in [
            ({"vocabulary_": {"good": 0}}, []),
            ({"vocabulary_": {"schön": 0}}, ["beyond ASCII"]),
            ({"ngram_range": (1, 2)}, ["one letter"]),
            ({"vocabulary_": {"schön": 0}, "analyzer": "char", "ngram_range": (1, 3)}, []),
            ({"ngram_range": (1, 2), "token_pattern": "[a-z]+"}, []),
            ({"vocabulary_": {"schön": 0}, "token_pattern": r"\w+"}, ["beyond ASCII"]),
        ]:
            faults = faults_of(TfidfVectorizer(**settings))
            self.assertEqual(len(faults), len(found), settings)
            for fault, part in zip(faults, found):
                self.assertIn(part, fault)

    def test_nested_steps_are_visited(self):
        inner = Pipeline(steps=[("text", TfidfVectorizer(stop_words=["a"], lowercase=False))])
        (fault,) = faults_of(Pipeline(transformers_=[("inner", inner, ["a"]), ("rest", "drop", [])]))
        self.assertRegex(fault, "^text: skl2onnx loses lowercase=False")


if __name__ == "__main__":
    unittest.main()
