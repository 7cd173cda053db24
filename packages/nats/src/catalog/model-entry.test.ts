import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seed } from '../../../../testing/seed.js';
import { codeOf } from '../../test/errors.js';
import { sha256Of } from '../artifacts/recipe.js';
import {
  type CatalogModel,
  checkName,
  decodeModel,
  encodeModel,
  promoted,
  replicasOf,
  rolledBack,
  scaled,
  usedBy,
  withCanary,
  withExtraReplicas,
  withoutVersion,
  withVersion,
} from './model-entry.js';

const content = (text: string) => ({ artifact: sha256Of(Buffer.from(text)), plan: 'm' });
const add = (model: CatalogModel | undefined, text: string, label?: string) =>
  withVersion(model, 'm', content(text), label);

/** A model with the versions 1, 2 and 3. */
const three = ['a', 'b', 'c'].reduce<CatalogModel | undefined>((model, text) => add(model, text).model, undefined)!;
const states = ({ aliases }: CatalogModel) =>
  aliases.map(({ alias, version, canary }) => [alias, version, canary?.version, canary?.percent]);

test('the first version has the alias default, and equal contents are one version', () => {
  expect(three.versions.map(({ version }) => version)).toEqual(['1', '2', '3']);
  expect(states(three)).toEqual([['default', '1', undefined, undefined]]);
  const again = add(three, 'b');
  expect(again.version).toBe('2');
  expect(again.model).toBe(three);
  expect(add(three, 'b', 'named').model.versions.length).toBe(4);
  expect(add(three, 'd', '10').version).toBe('10');
  expect(add(add(three, 'd', '10').model, 'e').version).toBe('11');
  expect(codeOf(() => add(three, 'd', '2'))).toBe('ERR_NATS_CATALOG');
});

test('promote, canary and rollback', () => {
  const live = promoted(promoted(three, 'live', '2'), 'live', '3');
  expect(states(live)[1]).toEqual(['live', '3', undefined, undefined]);
  expect(promoted(live, 'live', '3')).toBe(live);
  const five = withCanary(live, 'live', { version: '1', percent: 5 });
  const twenty = withCanary(five, 'live', { version: '1', percent: 20 });
  expect(states(twenty)[1]).toEqual(['live', '3', '1', 20]);
  expect(states(rolledBack(twenty, 'live'))[1]).toEqual(['live', '3', undefined, undefined]);
  expect(states(rolledBack(rolledBack(twenty, 'live'), 'live'))[1]).toEqual(['live', '2', undefined, undefined]);
  expect(states(promoted(twenty, 'live', '3'))[1]).toEqual(['live', '3', undefined, undefined]);
  const all = promoted(twenty, 'live', '1');
  expect(states(rolledBack(all, 'live'))[1]).toEqual(['live', '3', '1', 20]);
});

test('a removed version is not used again', () => {
  const model = withoutVersion(promoted(promoted(three, 'default', '3'), 'default', '1'), '3');
  expect(model.versions.map(({ version }) => version)).toEqual(['1', '2']);
  expect(model.aliases[0]!.previous.map(({ version }) => version)).toEqual(['1']);
  expect(add(model, 'd').version).toBe('4');
  expect(codeOf(() => add(model, 'c', '3'))).toBe('ERR_NATS_CATALOG');
});

test.each<[string, () => unknown]>([
  ['an unknown version', () => promoted(three, 'default', '4')],
  ['an unknown alias', () => withCanary(three, 'live', { version: '2', percent: 5 })],
  ['an unknown canary', () => withCanary(three, 'default', { version: '4', percent: 5 })],
  ['the version of the alias as its canary', () => withCanary(three, 'default', { version: '1', percent: 5 })],
  ['a negative percentage', () => withCanary(three, 'default', { version: '2', percent: -1 })],
  ['more than 100 %', () => withCanary(three, 'default', { version: '2', percent: 101 })],
  ['a percentage that is not a number', () => withCanary(three, 'default', { version: '2', percent: Number.NaN })],
  ['no earlier state', () => rolledBack(three, 'default')],
  ['an unknown alias to roll back', () => rolledBack(three, 'live')],
  ['a version that an alias uses', () => withoutVersion(three, '1')],
  ['a canary', () => withoutVersion(withCanary(three, 'default', { version: '2', percent: 0 }), '2')],
  ['an unknown version to remove', () => withoutVersion(three, '4')],
  ['a name with @', () => checkName('name', 'a@b')],
  ['an empty name', () => checkName('name', '')],
  ['a long name', () => checkName('name', 'x'.repeat(129))],
  ['half a surrogate pair', () => checkName('name', '\ud800')],
  ['a name that is not a text', () => checkName('name', {})],
])('rejects %s', (_, run) => {
  expect(codeOf(run)).toBe('ERR_NATS_CATALOG');
});

const version = { version: '1', ...content('a') };
const alias = { alias: 'default', version: '1', previous: [] };
const valid = { format: 'brezel-catalog-1', name: 'm', versions: [version], aliases: [alias], removed: [] };
const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));

test('an entry is equal after it was encoded and decoded', () => {
  expect(decodeModel(Buffer.from(encodeModel(three)), 'm')).toEqual(three);
  expect(decodeModel(bytes(valid), 'm').versions).toEqual([version]);
});

test.each([
  Buffer.from('{'),
  bytes(null),
  bytes([]),
  bytes({ ...valid, format: 'brezel-catalog-2' }),
  bytes({ ...valid, name: 'a:b' }),
  bytes({ ...valid, versions: [] }),
  bytes({ ...valid, versions: { length: 1 } }),
  bytes({ ...valid, versions: [version, version] }),
  bytes({ ...valid, versions: [{ ...version, artifact: '../x' }] }),
  bytes({ ...valid, versions: [{ ...version, plan: 7 }] }),
  bytes({ ...valid, versions: [null] }),
  bytes({ ...valid, aliases: [] }),
  bytes({ ...valid, aliases: [{ ...alias, alias: 'live' }] }),
  bytes({ ...valid, aliases: [alias, alias] }),
  bytes({ ...valid, aliases: [{ ...alias, version: '2' }] }),
  bytes({ ...valid, aliases: [{ ...alias, canary: { version: '2', percent: 5 } }] }),
  bytes({ ...valid, aliases: [{ ...alias, canary: { version: '1', percent: 500 } }] }),
  bytes({ ...valid, aliases: [{ ...alias, canary: 5 }] }),
  bytes({ ...valid, aliases: [{ ...alias, previous: null }] }),
  bytes({ ...valid, aliases: [{ ...alias, previous: [7] }] }),
  bytes({ ...valid, removed: [7] }),
  bytes({ ...valid, removed: undefined }),
  bytes({ ...valid, replicas: -1 }),
  bytes({ ...valid, replicas: 1001 }),
  bytes({ ...valid, extraReplicas: '1' }),
  bytes({ ...valid, versions: [{ ...version, bytes: 0.5 }] }),
  bytes({ ...valid, versions: [{ ...version, parameters: [['id']] }] }),
  bytes({ ...valid, versions: [{ ...version, parameters: Array(9).fill(['id', 1]) }] }),
])('rejects an invalid entry %#', (entry) => {
  expect(codeOf(() => decodeModel(entry, 'm'))).toBe('ERR_NATS_CATALOG');
});

test('any sequence of changes keeps an entry valid, and rollback undoes the last change', () => {
  const label = fc.integer({ min: 1, max: 6 }).map(String);
  const place = fc.constantFrom('default', 'live');
  const change = fc.oneof(
    fc.tuple(fc.constant('push'), fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), label),
    fc.tuple(fc.constantFrom('promote', 'canary', 'rollback', 'remove'), place, label),
  );
  const applied = (model: CatalogModel, [kind, place, to]: readonly [string, string, string]): CatalogModel => {
    if (kind === 'push') return add(model, place).model;
    if (kind === 'promote') return promoted(model, place, to);
    if (kind === 'canary') return withCanary(model, place, { version: to, percent: Number(to) });
    return kind === 'rollback' ? rolledBack(model, place) : withoutVersion(model, to);
  };
  const run = (changes: readonly (readonly [string, string, string])[]) => {
    let model = three;
    for (const step of changes) {
      let next: CatalogModel;
      try {
        next = applied(model, step);
      } catch (error) {
        expect((error as { code: string }).code).toBe('ERR_NATS_CATALOG');
        continue;
      }
      expect(decodeModel(Buffer.from(encodeModel(next)), 'm')).toEqual(next);
      const [kind, name] = step;
      const had = model.aliases.find((each) => each.alias === name);
      if (kind === 'promote' && next !== model && had !== undefined) {
        const undone = rolledBack(next, name).aliases.find((each) => each.alias === name)!;
        expect(usedBy(undone)).toEqual(usedBy(had));
      }
      model = next;
    }
  };
  fc.assert(fc.property(fc.array(change, { maxLength: 40 }), run), { seed, numRuns: 300 });
});

test('further replicas are limited by the number of servers, and stay after other changes', () => {
  const two = scaled(three, 2);
  expect(scaled(two, 2)).toBe(two);
  const hot = withExtraReplicas(two, 1, 3);
  expect(replicasOf(hot)).toBe(3);
  expect(withExtraReplicas(hot, 1, 3)).toBe(hot);
  expect(replicasOf(withExtraReplicas(hot, -1, 3))).toBe(2);
  expect(withExtraReplicas(two, -1, 3)).toBe(two);
  expect(replicasOf(add(promoted(hot, 'live', '1'), 'z').model)).toBe(3);
  expect(decodeModel(Buffer.from(encodeModel(hot)), 'm')).toEqual(hot);
});
