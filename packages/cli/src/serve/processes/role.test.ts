import { expect, test } from 'vitest';
import { ownRole, roleEnvironment } from './role.js';

test('a process whose primary has ended does not become a primary', () => {
  const exits: unknown[] = [];
  const exit = (code: unknown) => exits.push(code) as never;
  const env = roleEnvironment('packer');
  expect(ownRole({ env, connected: false, exit })).toBe('packer');
  expect(exits).toEqual([1]);
  expect(ownRole({ env, connected: false, exit })).toBe('primary');
  expect(ownRole({ env: roleEnvironment('worker'), connected: true, exit })).toBe('worker');
  expect(exits).toEqual([1]);
});
