"""Trains small pipelines of scikit-learn and exports them with tools/python/brezel_export.py.

python3 write_models.py FOLDER [NAME...] writes NAME.json, NAME.rows.jsonl and NAME.answers.jsonl for
each pipeline, or for the named ones. Needs scikit-learn and pandas.
"""

import os
import sys
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../tools/python"))
warnings.filterwarnings("ignore")

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from brezel_export import export  # noqa: E402
from sklearn.cluster import KMeans  # noqa: E402
from sklearn.compose import ColumnTransformer  # noqa: E402
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine  # noqa: E402
from sklearn.decomposition import PCA, TruncatedSVD  # noqa: E402
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis  # noqa: E402
from sklearn.ensemble import (  # noqa: E402
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
)
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer  # noqa: E402
from sklearn.feature_selection import SelectKBest  # noqa: E402
from sklearn.impute import SimpleImputer  # noqa: E402
from sklearn.linear_model import (  # noqa: E402
    GammaRegressor,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    RidgeClassifier,
    SGDClassifier,
    TweedieRegressor,
)
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB  # noqa: E402
from sklearn.neural_network import MLPClassifier, MLPRegressor  # noqa: E402
from sklearn.pipeline import make_pipeline, make_union  # noqa: E402
from sklearn.preprocessing import (  # noqa: E402
    Binarizer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import SVC, SVR, LinearSVC, NuSVC  # noqa: E402
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor  # noqa: E402

ROWS = 40


def matrix(load, labels=None):
    """Returns a function for the rows and the targets of a data set, and whether a row is missing numbers."""

    def data():
        x, y = load(return_X_y=True)
        return x, y if labels is None else np.array(labels)[y]

    return data


wine = matrix(load_wine)
named_wine = matrix(load_wine, ["barbera", "nebbiolo", "zinfandel"])
cancer = matrix(load_breast_cancer)
diabetes = matrix(load_diabetes)


def holes():
    x, y = wine()
    x[::3, 2] = np.nan
    x[1::4, 5] = np.nan
    return x, y


def several_targets():
    x, _ = diabetes()
    return x[:, :5], x[:, 5:8]


def customers():
    random = np.random.RandomState(0)
    pick = lambda values: random.choice(values, 120)
    frame = pd.DataFrame(
        {
            "age": random.randint(18, 80, 120),
            "fee": random.rand(120) * 100,
            "city": pick(["Rom", "Bern", "Köln", ""]),
            "tariff": pick(["a", "b", "c"]),
            "note": pick(["good service", "bad service, not good", "Not BAD at all", "très bon"]),
            "is_new": random.rand(120) > 0.5,
        }
    )
    frame.loc[::7, "fee"] = np.nan
    return frame, pick(["yes", "no"])


def texts():
    starts = ["A good film.", "bad, BAD plot!", "not good", "très déjà-vu", "the cast was wonderful"]
    ends = ["indeed", "and dull", "but slow", "I liked it", "x y z"]
    all_texts = [f"{start} {end}" for start in starts for end in ends] * 2
    return all_texts, [len(text) * 7 % 3 for text in all_texts]


def scaled(step):
    return make_pipeline(StandardScaler(), step)


def columns():
    fill = SimpleImputer(missing_values="", strategy="constant", fill_value="none")
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    unknown = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    return ColumnTransformer(
        [
            ("numbers", numbers, ["age", "fee"]),
            ("city", make_pipeline(fill, OneHotEncoder(handle_unknown="ignore")), ["city", "tariff"]),
            ("tariff", unknown, ["tariff"]),
            ("words", TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True), "note"),
            ("chars", CountVectorizer(analyzer="char_wb", ngram_range=(2, 3)), "note"),
        ],
        remainder="passthrough",
    )


def words_and_tariff():
    words = TfidfVectorizer(stop_words=["at", "not"])
    return ColumnTransformer([("words", words, "note"), ("tariff", OneHotEncoder(drop="first"), ["tariff"])])


def text_model(vectorizer, model=None):
    return make_pipeline(vectorizer, model or LogisticRegression())


def voting():
    members = [("linear", LogisticRegression(max_iter=500)), ("forest", RandomForestClassifier(5, random_state=0))]
    return VotingClassifier(members, voting="soft", weights=[1, 2])


MODELS = {
    "churn": (customers, make_pipeline(columns(), LogisticRegression(max_iter=500))),
    "churn-forest": (customers, make_pipeline(columns(), RandomForestClassifier(5, max_depth=4, random_state=0))),
    "churn-bayes": (customers, make_pipeline(words_and_tariff(), MultinomialNB())),
    "logistic": (named_wine, scaled(LogisticRegression(max_iter=500))),
    "logistic-two": (cancer, scaled(LogisticRegression(max_iter=500))),
    "logistic-rest": (wine, scaled(LogisticRegression(solver="liblinear"))),
    "sgd": (wine, scaled(SGDClassifier(loss="log_loss", random_state=0))),
    "linear-svc": (wine, scaled(LinearSVC(random_state=0))),
    "ridge-two": (cancer, scaled(RidgeClassifier())),
    "discriminant": (wine, scaled(LinearDiscriminantAnalysis())),
    "svc": (wine, scaled(SVC())),
    "svc-two": (cancer, scaled(SVC(kernel="poly"))),
    "svc-sigmoid": (wine, scaled(SVC(kernel="sigmoid"))),
    "nu-svc": (named_wine, scaled(NuSVC(kernel="linear"))),
    "svr": (diabetes, make_pipeline(RobustScaler(), SVR(C=100))),
    "gaussian-bayes": (wine, scaled(GaussianNB())),
    "bernoulli-bayes": (wine, scaled(BernoulliNB())),
    "perceptron": (wine, scaled(MLPClassifier((8,), max_iter=200, random_state=0))),
    "perceptron-two": (cancer, scaled(MLPClassifier((6, 4), activation="tanh", max_iter=100, random_state=0))),
    "perceptron-number": (diabetes, scaled(MLPRegressor((8,), activation="logistic", max_iter=100, random_state=0))),
    "tree": (wine, DecisionTreeClassifier(random_state=0)),
    "tree-number": (diabetes, DecisionTreeRegressor(max_depth=4, random_state=0)),
    "forest": (named_wine, RandomForestClassifier(8, random_state=0)),
    "forest-number": (diabetes, RandomForestRegressor(4, max_depth=4, random_state=0)),
    "extra-trees": (cancer, ExtraTreesClassifier(5, max_leaf_nodes=9, random_state=0)),
    "boosting": (wine, GradientBoostingClassifier(n_estimators=4, random_state=0)),
    "boosting-two": (cancer, GradientBoostingClassifier(n_estimators=5, random_state=0)),
    "boosting-exponential": (cancer, GradientBoostingClassifier(n_estimators=5, loss="exponential", random_state=0)),
    "boosting-number": (diabetes, GradientBoostingRegressor(n_estimators=5, loss="huber", random_state=0)),
    "histogram": (holes, HistGradientBoostingClassifier(max_iter=4, random_state=0)),
    "histogram-two": (cancer, HistGradientBoostingClassifier(max_iter=5, random_state=0)),
    "histogram-poisson": (diabetes, HistGradientBoostingRegressor(max_iter=5, loss="poisson", random_state=0)),
    "voting": (wine, scaled(voting())),
    "linear": (diabetes, LinearRegression()),
    "linear-several": (several_targets, LinearRegression()),
    "poisson": (diabetes, PoissonRegressor()),
    "gamma": (diabetes, GammaRegressor()),
    "tweedie": (diabetes, TweedieRegressor(power=1.5)),
    "holes": (
        holes,
        make_pipeline(SimpleImputer(), MinMaxScaler(clip=True), PolynomialFeatures(2), LogisticRegression()),
    ),
    "k-means": (wine, scaled(KMeans(4, n_init=2, random_state=0))),
    "pca": (wine, scaled(PCA(3))),
    "pca-whiten": (wine, scaled(PCA(3, whiten=True))),
    "svd": (wine, scaled(TruncatedSVD(3, random_state=0))),
    "norm-l1": (wine, scaled(Normalizer("l1"))),
    "norm-max": (wine, scaled(Normalizer("max"))),
    "max-abs": (wine, MaxAbsScaler()),
    "binary": (wine, scaled(Binarizer(threshold=0.5))),
    "bins": (wine, KBinsDiscretizer(4)),
    "bins-ordinal": (wine, KBinsDiscretizer(4, encode="ordinal")),
    "products": (wine, scaled(PolynomialFeatures(3, interaction_only=True, include_bias=False))),
    "union": (wine, scaled(make_union(PCA(2), SelectKBest(k=3)))),
    "tfidf": (texts, text_model(TfidfVectorizer())),
    "tfidf-pairs": (texts, text_model(TfidfVectorizer(ngram_range=(1, 2), stop_words="english"))),
    "counts-cased": (texts, text_model(CountVectorizer(lowercase=False, stop_words=["the"]))),
    "counts-short": (texts, text_model(CountVectorizer(token_pattern=r"(?u)\b\w+\b"), ComplementNB())),
    "chars": (texts, text_model(TfidfVectorizer(analyzer="char", ngram_range=(1, 3)))),
    "hashes": (texts, text_model(HashingVectorizer(n_features=2**8))),
    "accents": (texts, text_model(TfidfVectorizer(strip_accents="unicode", binary=True, norm="l1"))),
}


def write(folder, name):
    data, model = MODELS[name]
    x, y = data()
    model.fit(x, y)
    places = np.linspace(0, len(x) - 1, ROWS).astype(int)
    sample = [x[place] for place in places] if isinstance(x, list) else x.iloc[places] if hasattr(x, "iloc") else x[places]
    export(model, sample, os.path.join(folder, f"{name}.json"))


if __name__ == "__main__":
    for chosen in sys.argv[2:] or MODELS:
        write(sys.argv[1], chosen)
