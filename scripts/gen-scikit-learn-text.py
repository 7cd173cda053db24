"""Writes packages/brezel/test/text/generated/scikit-learn.json: the answers of scikit-learn's text
vectorizers.

Needs scikit-learn (any 1.x). Usage: python3 scripts/gen-scikit-learn-text.py
"""

import json
import pathlib

import sklearn
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer

TARGET = pathlib.Path(__file__).parent.parent / "packages/brezel/test/text/generated/scikit-learn.json"

TEXTS = [
    "",
    " ",
    "The quick brown fox jumps over the lazy dog.",
    "the the The THE thE a I x",
    "Café crème, naïve façade; cafe\u0301 cre\u0300me",
    "ΟΔΥΣΣΕΥΣ ΣΊΣΥΦΟΣ ΑΣ Σ ΑΣ\u0301 ΑΣ.Β ΑΣ'",
    "İstanbul ıSTANBUL ISTANBUL Straße STRASSE ẞ",
    "ﬁne ½ ² №5 ㎏ Ａｂｃ \ufdfa",
    "日本語の文章 한국어 문장 ไทย עִבְרִית العَرَبِيَّة हिन्दी",
    "snake_case CamelCase x2 42 3.14 1_000 e-mail don't",
    "tabs\tand\nlines\r\nand  two   three\u00a0\u00a0nbsp\u2003em\u3000wide\x1cfs\x85nel",
    "emoji 😀👍🏽 👨\u200d👩\u200d👧 flags 🇩🇪 \U0001d4b3\U0001d4ce \U00010400",
    "a ab abc abcd abcde abcdef",
    "good good not good very very good film, not bad",
    "zero\x00width\u200bjoin\ufeffed \ufffd",
    "x" * 100 + " " + "é" * 40,
]

WORDS = ["the", "not", "and", "cafe", "café"]
ANALYZERS = [
    {},
    {"ngram_range": [1, 2]},
    {"ngram_range": [2, 3], "stop_words": WORDS},
    {"stop_words": WORDS, "strip_accents": "unicode"},
    {"strip_accents": "ascii", "ngram_range": [1, 3]},
    {"strip_accents": "unicode", "lowercase": False},
    {"lowercase": False, "token_pattern": r"\b\w+\b", "binary": True},
    {"token_pattern": r"(?u)\S{3,}"},
    {"token_pattern": "[a-zé]+", "strip_accents": None},
    {"analyzer": "char", "ngram_range": [1, 3]},
    {"analyzer": "char", "ngram_range": [3, 3], "strip_accents": "unicode", "lowercase": False},
    {"analyzer": "char_wb", "ngram_range": [1, 4]},
    {"analyzer": "char_wb", "ngram_range": [3, 5], "strip_accents": "ascii"},
    {"analyzer": "char_wb", "ngram_range": [6, 7], "strip_accents": "unicode", "binary": True},
]
TFIDF = [
    {},
    {"sublinear_tf": True, "norm": "l1"},
    {"norm": None, "ngram_range": [1, 2], "stop_words": WORDS},
    {"use_idf": False, "analyzer": "char_wb", "ngram_range": [2, 4], "sublinear_tf": True},
]
HASHING = [
    {},
    {"n_features": 1000, "norm": "l1"},
    {"n_features": 7, "norm": None},
    {"n_features": 7, "norm": None, "binary": True},
    {"n_features": 64, "norm": None, "alternate_sign": False, "ngram_range": [1, 3]},
    {"n_features": 1 << 18, "norm": None, "analyzer": "char", "ngram_range": [1, 4]},
    {"n_features": 1 << 18, "norm": None, "analyzer": "char_wb", "ngram_range": [3, 5], "strip_accents": "unicode"},
    {"n_features": 4099, "norm": None, "analyzer": "char_wb", "ngram_range": [6, 7], "alternate_sign": False},
    {"n_features": 1 << 16, "norm": None, "ngram_range": [2, 2], "stop_words": WORDS},
]


def tuples(options):
    """Returns options with a tuple for `ngram_range`, which scikit-learn requires. JSON has no tuples."""
    return {name: tuple(value) if name == "ngram_range" else value for name, value in options.items()}


def rows(matrix):
    """Returns the nonzero entries of each row by column, rounded to the precision of float32."""
    found = []
    for row in matrix.tocsr():
        entries = sorted((int(i), float(f"{v:.9g}")) for i, v in zip(row.indices, row.data) if v != 0)
        found.append([number for entry in entries for number in entry])
    return found


def fitted(kind, options):
    vectorizer = kind(**tuples(options))
    matrix = vectorizer.fit_transform(TEXTS)
    case = {"options": options, "vocabulary": [str(term) for term in vectorizer.get_feature_names_out()]}
    if kind is TfidfVectorizer and options.get("use_idf", True):
        case["idf"] = [float(f"{weight:.9g}") for weight in vectorizer.idf_]
    return {**case, "rows": rows(matrix)}


def hashed(options):
    return {"options": options, "rows": rows(HashingVectorizer(**tuples(options)).transform(TEXTS))}


cases = {
    "version": sklearn.__version__,
    "texts": TEXTS,
    "count": [fitted(CountVectorizer, options) for options in ANALYZERS],
    "tfidf": [fitted(TfidfVectorizer, options) for options in TFIDF],
    "hashing": [hashed(options) for options in HASHING],
}
lines = ",\n".join(
    f' "{name}": ' + (json.dumps(value) if not isinstance(value, list) else "[\n  " + ",\n  ".join(map(json.dumps, value)) + "\n ]")
    for name, value in cases.items()
)
TARGET.parent.mkdir(parents=True, exist_ok=True)
TARGET.write_text("{\n" + lines + "\n}\n")
