// FeatureVectorizer needs no operator: numbers are cast to float32 and concatenated.
import '../../ops/cast/index.js';
import '../../ops/concat/index.js';
