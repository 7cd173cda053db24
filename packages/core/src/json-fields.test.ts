import { describe, expect, it } from 'vitest';
import { JsonFields } from './json-fields.js';

class TestFields extends JsonFields {
  protected override error(at: string, expected: string, received: string): Error {
    return new RangeError(`${at}: expected ${expected}, received ${received}`);
  }
}

const file = new TestFields(
  { name: 'a', tree: { depth: 3 }, trees: [{ id: 'x' }, 4], bytes: Uint8Array.of(1, 2), nothing: null },
  'model',
);

describe('JsonFields', () => {
  it('reads texts, lists, typed arrays and nested objects', () => {
    expect(file.text('name')).toBe('a');
    expect(file.list('bytes')).toEqual(Uint8Array.of(1, 2));
    expect(file.list('trees')).toHaveLength(2);
    expect(file.object('tree').get('depth')).toBe(3);
    expect(file.names).toEqual(['name', 'tree', 'trees', 'bytes', 'nothing']);
  });

  it('ignores properties that an object inherits', () => {
    expect(file.has('toString')).toBe(false);
    expect(file.get('constructor')).toBeUndefined();
  });

  it.each([
    ['a missing field', () => file.text('title'), 'model.title: expected a text, received nothing'],
    ['null', () => file.object('nothing'), 'model.nothing: expected an object, received null'],
    ['a list', () => file.object('trees'), 'model.trees: expected an object, received a list'],
    ['a typed array', () => file.object('bytes'), 'model.bytes: expected an object, received a list'],
    ['an object', () => file.list('tree'), 'model.tree: expected a list, received an object'],
    ['an item of a list', () => file.objects('trees'), 'model.trees[1]: expected an object, received 4'],
    ['a nested field', () => file.object('tree').text('depth'), 'model.tree.depth: expected a text, received 3'],
  ])('rejects %s with an error of the package and the path', (_, read, message) => {
    expect(read).toThrow(new RangeError(message));
  });

  it('shortens a long value', () => {
    const long = new TestFields({ name: 'x'.repeat(100) }, 'file');
    expect(() => long.list('name')).toThrow(new RangeError(`file.name: expected a list, received "${'x'.repeat(39)}`));
  });
});
