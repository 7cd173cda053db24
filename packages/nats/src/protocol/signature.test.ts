import { expect, test } from 'vitest';
import { codeOf } from '../../test/errors.js';
import { signatureIn } from './signature.js';

const port = { name: 'x', type: { kind: 'scalar', dtype: 'float32' } };

test('accepts inputs and outputs', () => {
  expect(signatureIn({ inputs: [port], outputs: [], other: 1 })).toEqual({ inputs: [port], outputs: [] });
});

test.each([
  undefined,
  null,
  7,
  'text',
  [],
  {},
  { inputs: [port] },
  { inputs: [port], outputs: 'x' },
  { inputs: [port], outputs: [null] },
  { inputs: [port], outputs: [7] },
  { inputs: [{ name: 'x' }], outputs: [] },
  { inputs: [{ ...port, name: 8 }], outputs: [] },
  { inputs: [{ ...port, type: null }], outputs: [] },
  { inputs: [{ ...port, type: 'scalar' }], outputs: [] },
])('rejects %j', (value) => {
  expect(codeOf(() => signatureIn(value))).toBe('ERR_NATS_MESSAGE');
});
