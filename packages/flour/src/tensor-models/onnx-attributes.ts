import { bytesOfStrings, type ObjectStore } from '@brezel/object-store';
import type { TensorCall } from '@brezel/tensors';
import {
  floatAttribute,
  floatsAttribute,
  hasAttribute,
  intAttribute,
  intsAttribute,
  stringAttribute,
  stringsAttribute,
  tensorAttribute,
} from '@brezel/tensors';
import type { OnnxAttributes, OnnxConstant } from '../onnx-mapping.js';
import { stringList } from '../ops/string-normalize/index.js';

/**
 * Returns a view of the attributes of a node of a tensor program. Code that converts ONNX nodes to
 * row operators can read it.
 */
export function onnxAttributes(call: TensorCall, store: ObjectStore): OnnxAttributes {
  return {
    has: (name) => hasAttribute(call, name),
    int: (name, otherwise) => intAttribute(call, name, otherwise),
    float: (name, otherwise) => floatAttribute(call, name, otherwise),
    string: (name, otherwise) => stringAttribute(call, name, otherwise),
    places: (name) => [...intsAttribute(call, name)],
    ints: (name) => [...intsAttribute(call, name)],
    intArray: (name) => Float64Array.from(intsAttribute(call, name)),
    codes: (name, of) => {
      const known = new Map<string, number>();
      return Uint8Array.from(stringsAttribute(call, name), (text) => {
        const code = known.get(text) ?? of(text);
        known.set(text, code);
        return code;
      });
    },
    floats: (name) => Float32Array.from(floatsAttribute(call, name)),
    strings: (name) => [...stringsAttribute(call, name)],
    distinctStrings: (name) => store.memory.strings?.distinct(bytesOfStrings(stringList(stringsAttribute(call, name)))),
    stringParameter: (name) => stringList(stringsAttribute(call, name)),
    count: (name) => stringsAttribute(call, name).length,
    checksum: (name) => store.checksum.ofText(JSON.stringify(call.attributes[name]) ?? 'none'),
    tensor: (name) => (hasAttribute(call, name) ? constantOf(call, name) : undefined),
  };
}

const constantTypes: readonly string[] = ['float32', 'float64', 'int64', 'int32', 'bool', 'string'];

/**
 * Returns a tensor attribute as a constant. Converts its elements to a type of row programs, as the
 * importer of row programs does. For example, float16 becomes float32.
 */
function constantOf(call: TensorCall, name: string): OnnxConstant {
  const { element, shape, data } = tensorAttribute(call, name);
  if (constantTypes.includes(element)) return { dtype: element, shape, data } as OnnxConstant;
  if (element === 'float16' || element === 'bfloat16') return { dtype: 'float32', shape, data } as OnnxConstant;
  if (element === 'uint32' || element === 'uint64')
    return { dtype: 'int64', shape, data: BigInt64Array.from(data as Iterable<never>, BigInt) };
  return { dtype: 'int32', shape, data: Int32Array.from(data as Iterable<number>) };
}
