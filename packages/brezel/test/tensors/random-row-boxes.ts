import { makeModel, makeNode, writeModel } from '@brezel/onnx';
import { bake, createFlour, createRuntime, importOnnx, onnxruntimeBackend, type Program } from 'brezel';
import fc from 'fast-check';
import { expect } from 'vitest';
import { float, graph } from './models.js';
import { nameOf, type RandomGraph, randomGraph, sources } from './random-black-boxes.js';

// The graphs of the random tests of tensor programs, as row programs. Row programs do not support
// `If`, so Identity replaces it.

const operatorOf = (name: string) => (name === 'If' ? 'Identity' : name);

/** Builds a model. The file declares no sizes for every `undeclared`-th value. */
function modelOf(shape: RandomGraph, undeclared: number): Uint8Array {
  const numbers = shape.nodes.map((_, at) => at);
  const nodes = numbers.map((at) => {
    const operator = operatorOf(shape.nodes[at]!.operator);
    const inputs = sources(shape, at).map(nameOf);
    return makeNode(operator, operator === 'Identity' ? inputs.slice(0, 1) : inputs, [nameOf(at)]);
  });
  const read = new Set(nodes.flatMap(({ input }) => input));
  const values = numbers.map((at) => float(nameOf(at), ['N', 3]));
  const [inner, outer] = [true, false].map((isRead) => values.filter(({ name }) => read.has(name) === isRead));
  const main = graph(nodes, [float('x', ['N', 3])], outer!, {
    valueInfo: inner!.filter((_, at) => at % undeclared !== 0),
  });
  return writeModel(makeModel(main, { '': 17 }));
}

/**
 * Checks that random row programs give the same bits with random black boxes, block by block.
 * Returns how many black boxes and stages the programs had.
 */
export async function checkRandomRowBoxes(runs: number, seed: number): Promise<{ boxes: number; stages: number }> {
  const backend = onnxruntimeBackend({ workers: 1 });
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store, backends: [backend] });
  const answers = async (program: Program, rows: readonly { x: number[] }[]) => {
    const plan = bake(program, { exact: true });
    const registered = runtime.register(plan);
    plan.release();
    const answered = await runtime.predictBatch(registered, rows);
    runtime.unregister(registered);
    return answered;
  };
  let [boxes, stages] = [0, 0];
  const property = fc.asyncProperty(
    randomGraph,
    fc.integer({ min: 1, max: 300 }),
    fc.integer({ min: 2, max: 40 }),
    async (shape, count, undeclared) => {
      const bytes = modelOf(shape, undeclared);
      const black: ReadonlySet<string> = new Set(shape.black.map(operatorOf));
      const boxed = importOnnx(bytes, flour, { blackBox: ({ operator }) => black.has(operator) });
      boxes += boxed.blackBoxes.length;
      const rows = Array.from({ length: count }, (_, row) => ({ x: shape.data.map((value) => value + (row % 7)) }));
      const plan = boxed.program.plan();
      stages += plan.stages.length;
      plan.release();
      expect(await answers(boxed.program, rows)).toEqual(await answers(importOnnx(bytes, flour).program, rows));
    },
  );
  await fc.assert(property, { numRuns: runs, seed });
  await runtime.close();
  await backend.dispose();
  return { boxes, stages };
}
