import { writeElements } from './proto/element-tensor.js';
import { makeNode } from './proto/make.js';
import type { GraphProto } from './proto/schema.js';

/**
 * Returns the body of a Loop that receives the iteration number and the condition as scalars. If
 * the body declares the shape `[1]` for them, as exporters of PyTorch do, adds nodes that reshape
 * the scalars. onnxruntime accepts such files too.
 */
export function withLoopCounters(body: GraphProto): GraphProto {
  const isLine = (index: number) => {
    const dims = body.input[index]?.type?.tensorType?.shape?.dim;
    return dims?.length === 1 && (dims[0]!.dimValue ?? 1) === 1;
  };
  const lines = [0, 1].filter(isLine);
  if (lines.length === 0) return body;
  const shape = freeName(body, 'counter shape');
  const scalars = new Map(lines.map((index) => [index, freeName(body, `counter ${index}`)]));
  const [first, ...others] = body.input;
  return {
    ...body,
    input: [first!, ...others].map((input, index) => ({ ...input, name: scalars.get(index) ?? input.name })),
    initializer: [
      ...body.initializer,
      writeElements(shape, { element: 'int64', shape: [1], data: BigInt64Array.of(1n) }),
    ],
    node: [
      ...lines.map((index) => makeNode('Reshape', [scalars.get(index)!, shape], [body.input[index]!.name])),
      ...body.node,
    ],
  };
}

/** Returns a name that no value of the body uses. */
function freeName({ input, initializer, node }: GraphProto, name: string): string {
  const taken = new Set([
    ...[...input, ...initializer].map((item) => item.name),
    ...node.flatMap((item) => [...item.input, ...item.output]),
  ]);
  let free = name;
  while (taken.has(free)) free = `${free}'`;
  return free;
}
