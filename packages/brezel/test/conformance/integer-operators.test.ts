import type { Attributes } from '@brezel/core';
import { operators, passesIntegers } from '@brezel/flour';
import { passesIntegersByName } from '@brezel/runtime';
import { expect, test } from 'vitest';

test.each([...operators.values()])('$name passes integers as its definition says', ({ name, version }) => {
  const cases: Attributes[] = [{}, { to: 'uint64' }, { to: 'int8' }];
  for (const attributes of cases)
    expect(passesIntegersByName(name, version, attributes)).toBe(passesIntegers(name, version, attributes));
});
