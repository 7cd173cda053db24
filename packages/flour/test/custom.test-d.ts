// Tests which custom functions compile, and the types of their arguments. This code never runs.
// `types.test.ts` compiles it.
import { defineOperator, type FlourContext, type Flow } from '@brezel/flour';

declare const flour: FlourContext;
const columns = flour.columns({ text: 'string', age: 'float32', id: 'int64' });
const text: Flow<'text'> = columns.select('text');
const age: Flow<'scalar'> = columns.select('age');
const counts: Flow<'vector'> = text.tokenize().wordNgram({ vocabulary: [['a']] });

const length = defineOperator({
  name: 'types/length',
  inputs: ['text'],
  output: 'float32',
  run: (value) => value.length,
});
const share: Flow<'scalar'> = text.custom(length);
share.cast('float64');

const everything = defineOperator({
  name: 'types/everything',
  inputs: ['text', 'int64', 'float32[]', 'tokens', 'map'],
  output: ({ sizes }) => `float32[${sizes[2]}]`,
  attributes: { limit: 10, unit: 'm' },
  parameters: { weights: 'float32', words: 'string', ids: 'int64' },
  run(value, id, numbers, words, named, { attributes, parameters, refuse }) {
    const wide: bigint = id + 1n + parameters.ids[0]!;
    const first: string = value + words[0] + parameters.words[0] + attributes.unit;
    const sum: number = numbers[0]! + parameters.weights[0]! + named.x! + attributes.limit;
    if (wide > 5n) refuse('too wide');
    return [sum, first.length];
  },
});
const given = { weights: [1], words: ['a'], ids: [1n] as never };
const made: Flow<'vector'> = flour.custom(everything, [text, age, counts, text.tokenize(), counts.zipMap(['x'])], {
  parameters: given,
  attributes: { limit: 3 },
});
made.normalize('l2');
flour.custom(
  defineOperator({ name: 'types/two', inputs: ['text', 'text'], output: 'sparse[9]', run: () => [[1, 2]] }),
  [text, text],
);

// @ts-expect-error the function takes a text, not a number
age.custom(length);
// @ts-expect-error one input, not two
flour.custom(length, [text, text]);
// @ts-expect-error an operator with several inputs needs flour.custom
text.custom(everything, { parameters: given });
// @ts-expect-error the parameters are missing
flour.custom(everything, [text, age, counts, text.tokenize(), counts.zipMap(['x'])]);
// @ts-expect-error no such attribute
flour.custom(length, [text], { attributes: { limit: 3 } });
// @ts-expect-error no such type
defineOperator({ name: 'types/a', inputs: ['string'], output: 'float32', run: () => 1 });
// @ts-expect-error the function must return a value of the output type
defineOperator({ name: 'types/b', inputs: ['text'], output: 'float32', run: (value) => value });
// @ts-expect-error a promise is not a number
defineOperator({ name: 'types/c', inputs: ['text'], output: 'float32', run: async () => 1 });
// @ts-expect-error a text is not a number
defineOperator({ name: 'types/d', inputs: ['text'], output: 'float32', run: (value) => value * 2 });
// @ts-expect-error one function, not two
defineOperator({ name: 'types/e', inputs: ['text'], output: 'float32', run: () => 1, runBlock: () => 1 as never });
