import type { OnnxAttributes } from '@brezel/flour';
import { encodedStrings, type ObjectStore, type StringParameter } from '@brezel/object-store';
import { onnxError } from './errors.js';
import { type BytesList, decodeText } from './proto/bytes-list.js';
import { toNumber } from './proto/ints.js';
import { type AttributeProto, AttributeType, attributeTypeName } from './proto/schema.js';
import { readTensor } from './proto/tensor.js';

/**
 * Returns functions that read the attributes of a node and check their types. `at` is the name of
 * the node in errors.
 */
export function readAttributes(attributes: readonly AttributeProto[], at: string, store: ObjectStore): OnnxAttributes {
  const byName = new Map(attributes.map((attribute) => [attribute.name, attribute]));

  /**
   * Reads an attribute and throws if it has another type. Old files omit the types of attributes;
   * then the type is correct if `read` finds a value.
   */
  function get<T>(name: string, type: number, read: (attribute: AttributeProto) => T | undefined, otherwise?: T): T {
    const attribute = byName.get(name);
    if (attribute === undefined) {
      if (otherwise !== undefined) return otherwise;
      throw onnxError('ERR_ONNX_ATTRIBUTE', { expected: `attribute ${name}`, received: 'none', at });
    }
    const fits = attribute.type === type || attribute.type === AttributeType.UNDEFINED;
    const value = fits ? read(attribute) : undefined;
    if (value !== undefined) return value;
    throw onnxError('ERR_ONNX_ATTRIBUTE', {
      expected: `attribute ${name} of type ${attributeTypeName(type)}`,
      received: attributeTypeName(attribute.type),
      at,
    });
  }

  /**
   * Returns `value`, the zero of a type, for an attribute with a type but without a value, because
   * protobuf 3 omits zeros. Returns undefined if the attribute has no type.
   */
  const zero = <T>(name: string, value: T) => (byName.get(name)!.type === AttributeType.UNDEFINED ? undefined : value);

  const intArray = (name: string) => get(name, AttributeType.INTS, ({ ints }) => ints.toArray(`${at}, ${name}`));

  return {
    has: (name) => byName.has(name),
    int: (name, otherwise) =>
      get(
        name,
        AttributeType.INT,
        ({ i = zero(name, 0n) }) => (i === undefined ? undefined : toNumber(i, `${at}, ${name}`)),
        otherwise,
      ),
    float: (name, otherwise) => get(name, AttributeType.FLOAT, ({ f = zero(name, 0) }) => f, otherwise),
    string: (name, otherwise) =>
      get(
        name,
        AttributeType.STRING,
        ({ s = zero(name, new Uint8Array()) }) => (s === undefined ? undefined : decodeText(s)),
        otherwise,
      ),
    ints: (name) => Array.from(intArray(name)),
    intArray,
    places: (name) => get(name, AttributeType.INTS, ({ ints }) => Array.from(ints, Number)),
    floats: (name) => get(name, AttributeType.FLOATS, ({ floats }) => floats),
    strings: (name) => get(name, AttributeType.STRINGS, ({ strings }) => strings.texts()),
    distinctStrings: (name) => {
      const list = get(name, AttributeType.STRINGS, ({ strings }) => strings);
      return store.memory.strings?.distinctAt(list.bytes, list.offsets, list.lengths);
    },
    stringParameter: (name) => get(name, AttributeType.STRINGS, ({ strings }) => stringParameter(strings, store)),
    codes: (name, of) => get(name, AttributeType.STRINGS, ({ strings }) => strings.codes(of)),
    count: (name) => get(name, AttributeType.STRINGS, ({ strings }) => strings).length,
    checksum: (name) => {
      const attribute = byName.get(name);
      return attribute === undefined
        ? 'none'
        : listBytes(attribute)
            .map((bytes) => store.checksumOf(bytes))
            .join('');
    },
    tensor: (name) => (byName.has(name) ? get(name, AttributeType.TENSOR, ({ t }) => t && readTensor(t)) : undefined),
  };
}

/**
 * Returns a list of strings as a parameter. If an addon is loaded, it encodes the strings directly
 * from the bytes of the file.
 */
function stringParameter(list: BytesList, { memory }: ObjectStore): StringParameter {
  const encoded = memory.strings?.encode(list.bytes, list.offsets, list.lengths);
  if (encoded !== undefined) return encodedStrings(encoded, [list.length], true);
  return { dtype: 'string', shape: [list.length], values: list.texts() };
}

/**
 * Returns bytes that identify a list of strings or integers. They include the length of each
 * string, so that different lists have different bytes.
 */
function listBytes({ strings, ints }: AttributeProto): Uint8Array[] {
  return [...strings.identity(), ...ints.identity()];
}
