import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tensorKernelNames } from '@brezel/core';
import { kernelOfOperator } from '@brezel/tensors';
import { BrezelError, importTensors } from 'brezel';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seed } from '../conformance/seed.js';
import { corpus } from '../corpus/corpus.js';
import { corpusInputs, fileOf, KernelEngines } from './kernel-engines.js';
import { type KernelNode, kernelNodes } from './random-kernel-nodes.js';

// Operators of tensor programs with kernels in the addon. Every instruction set gives the bits of
// the reference implementation.

const RUNS = Number(process.env.BREZEL_KERNEL_RUNS ?? 10);

const engines = new KernelEngines();
beforeAll(() => engines.open());
afterAll(() => engines.close());

describe.skipIf(engines.isas.length === 0)('kernels of tensor programs', () => {
  test.each(Object.entries(kernelNodes))('%s', async (_, nodes) => {
    const property = fc.asyncProperty(nodes, async (node) => {
      await engines.expectSame(...fileOf(node));
    });
    await fc.assert(property, { seed, numRuns: RUNS });
  });

  test('operators run the listed kernels', () => {
    const asked = new Map<string, Set<string>>();
    for (const nodes of Object.values(kernelNodes)) {
      for (const one of fc.sample(nodes, { seed, numRuns: 20 })) {
        const names = asked.get(one.node.opType) ?? new Set();
        asked.set(one.node.opType, names);
        askedOf(one).forEach((name) => names.add(name));
      }
    }
    const all = [...asked.values()].flatMap((names) => [...names]);
    // `tree_shap` explains forests. No operator of a tensor program uses it.
    const ofOperators = tensorKernelNames.filter((name) => name !== 'tree_shap');
    expect([...new Set(all)].sort()).toEqual(ofOperators);
    for (const [operator, names] of asked) {
      names.delete(operator === 'Gemm' ? 'pair' : ''); // `pair` adds C
      names.delete(operator === 'Gemm' ? 'strided' : ''); // `strided` transposes A
      expect([kernelOfOperator('', operator)], operator).toEqual(expect.arrayContaining([...names]));
    }
  });
});

/** Returns the kernels that a node uses. */
function askedOf(one: KernelNode): string[] {
  const [bytes, inputs] = fileOf(one);
  const { program } = importTensors(bytes);
  const asked: string[] = [];
  const given = program.inputs.map(({ name }) => inputs[name]);
  try {
    program.run(given, {}, { run: (kernel) => void asked.push(kernel) });
  } catch (error) {
    if (!(error instanceof BrezelError) || error.code === 'ERR_INTERNAL') throw error;
  }
  return asked;
}

const cases = corpus === undefined ? [] : readdirSync(join(corpus, 'onnx-node'));

describe.skipIf(engines.isas.length === 0 || corpus === undefined)('conformance cases of ONNX', () => {
  test('have the same bits with and without kernels', async () => {
    let compared = 0;
    for (const name of cases) {
      const folder = join(corpus!, 'onnx-node', name);
      const bytes = readFileSync(join(folder, 'model.onnx'));
      const inputs = await corpusInputs(bytes, folder);
      if (inputs === undefined) continue;
      await engines.expectSame(bytes, inputs);
      compared++;
    }
    console.log(`${compared} cases with kernels`);
    expect(compared).toBeGreaterThan(100);
  });
});
