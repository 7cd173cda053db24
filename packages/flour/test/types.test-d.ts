// Chains that must compile, and chains that must not compile. This code never runs. `types.test.ts`
// compiles it.
import type { FlourContext, Flow } from '@brezel/flour';

declare const flour: FlourContext;
const columns = flour.columns({ text: 'string', age: 'float32', count: 'int64' });
const text: Flow<'text'> = columns.select('text');
const age: Flow<'scalar'> = columns.select('age');
const tokens: Flow<'tokens'> = text.tokenize();
const counts: Flow<'vector'> = tokens.wordNgram({ vocabulary: [['a']] });
const scores: Flow<'vector'> = counts.linear({ weights: [1] });

// Chains that users write.
text
  .stringNormalize()
  .tokenize({ by: { pattern: '[a-z]+' } })
  .wordNgram({ vocabulary: [['a']], maxN: 2 })
  .tfIdf({ idf: [1] })
  .normalize('l2')
  .concat(counts)
  .logistic({ weights: [1, 2], bias: 1 })
  .plan();
text
  .charNgram({ vocabulary: [['a']] })
  .softmax({ weights: new Float32Array(3), bias: [1, 2, 3] })
  .zipMap(['a', 'b', 'c']);
tokens.charNgram({ vocabulary: [['a']] });
text.preprocess({ stripAccents: 'ascii' }).collapseSpaces().imputeText({ value: '' }).oneHotHash();
tokens.removeStopWords(['the']).hashNgram({ columns: 16 }).sublinearTf();
text.keyMap(['a']).keyToValue(['b']);
text
  .tfidfVectorizer({ vocabulary: { a: 0 }, analyzer: 'char_wb', ngramRange: [2, 4] })
  .concat(text.hashingVectorizer());
scores.argMax().labels(['no', 'yes']);
scores.asScalar();
scores.classify([1, 2]);
age.arithmetic('add', 1).cast('int64').labels([1, 2]);
age.asVector().compare('greater', [1]).selectColumns([0]);
flour.csv({ a: 'string', b: 'string' }, { separator: ';' }).select('b').parseNumber();
flour.program({ a: text, b: tokens, c: counts, d: age }, { inputs: [text] });

// Methods of another kind of flow.
// @ts-expect-error removeStopWords takes tokens, not text
text.removeStopWords(['the']);
// @ts-expect-error stripAccents takes text, not tokens
tokens.stripAccents('ascii');
// @ts-expect-error keyMap takes text, not numbers
age.keyMap(['a']);
// @ts-expect-error tokens have no norm
tokens.normalize('l2');
// @ts-expect-error text has no features yet
text.linear({ weights: [1] });
// @ts-expect-error text has no features yet
text.logistic({ weights: [1] });
// @ts-expect-error wordNgram takes tokens, not text
text.wordNgram({ vocabulary: [['a']] });
// @ts-expect-error tokenize takes text, not tokens
tokens.tokenize();
// @ts-expect-error a vector is not a text
counts.tokenize();
// @ts-expect-error a vector is not a text
counts.stringNormalize();
// @ts-expect-error tokens are not a vector
counts.concat(tokens);
// @ts-expect-error text is not a vector
counts.concat(text);
// @ts-expect-error concat takes vectors, not tokens
tokens.concat(counts);
// @ts-expect-error a number is not a vector
age.normalize('l2');
// @ts-expect-error a number is not a vector
age.argMax();
// @ts-expect-error a number has no n-grams
age.charNgram({ vocabulary: [['a']] });
// @ts-expect-error text has no arithmetic
text.arithmetic('add', 1);
// @ts-expect-error scores are not an index
scores.labels(['a', 'b']);
// @ts-expect-error a map is an answer, not an input of operators
scores.zipMap(['a']).map('exp');
// @ts-expect-error a threshold needs numbers
tokens.threshold(0.5);
// @ts-expect-error parseNumber takes text, not numbers
age.parseNumber();

// Names and parameters that do not exist.
// @ts-expect-error no such column
columns.select('txt');
// @ts-expect-error no such column
flour.csv({ a: 'string' }).select('b');
// @ts-expect-error int64 is unsupported: a text without a number would have no value
flour.csv({ a: 'int64' });
// @ts-expect-error no such element type
flour.columns({ a: 'float16' });
// @ts-expect-error no such norm
counts.normalize('l3');
// @ts-expect-error no such function
counts.map('sine');
// @ts-expect-error no such operation
counts.arithmetic('root', 2);
// @ts-expect-error no such element type
counts.cast('string');
// @ts-expect-error a linear model has weights
counts.linear({});
// @ts-expect-error a vocabulary is a list of lists
tokens.wordNgram({ vocabulary: ['a'] });
// @ts-expect-error no such option
tokens.wordNgram({ vocabulary: [['a']], n: 2 });
// @ts-expect-error labels are of one kind
scores.argMax().labels(['a', 1]);
// @ts-expect-error a pattern, separators, words or characters
text.tokenize({ by: 'lines' });
// @ts-expect-error flows are immutable
text.node = counts.node;
