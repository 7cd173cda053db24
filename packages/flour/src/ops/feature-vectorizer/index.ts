// Has no operator of its own: numbers are cast to float32 and joined.
import '../cast/index.js';
import '../concat/index.js';
