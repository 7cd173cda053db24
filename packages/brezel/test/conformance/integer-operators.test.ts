import { operators, passesIntegers } from '@brezel/flour';
import { passesIntegersByName } from '@brezel/runtime';
import { expect, test } from 'vitest';

test.each([...operators.values()])('$name passes integers as its definition says', ({ name, version }) => {
  for (const attributes of [{}, { to: 'uint64' }, { to: 'int8' }])
    expect(passesIntegersByName(name, version, attributes)).toBe(passesIntegers(name, version, attributes));
});
