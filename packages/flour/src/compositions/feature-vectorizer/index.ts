// Has no operator of its own: numbers are cast to float32 and joined.
import '../../ops/cast/index.js';
import '../../ops/concat/index.js';
