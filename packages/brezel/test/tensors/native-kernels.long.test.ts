import fc from 'fast-check';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { seed } from '../conformance/seed.js';
import { fileOf, KernelEngines } from './kernel-engines.js';
import { kernelNodes } from './random-kernel-nodes.js';

// Runs native-kernels.test.ts with many more nodes.

const RUNS = Number(process.env.BREZEL_KERNEL_RUNS ?? 250);
console.info(`BREZEL_KERNEL_RUNS=${RUNS}`);

const engines = new KernelEngines();
beforeAll(() => engines.open());
afterAll(() => engines.close());

describe.skipIf(engines.isas.length === 0)('kernels of tensor programs, with more cases', () => {
  test.each(Object.entries(kernelNodes))('%s', async (_, nodes) => {
    const property = fc.asyncProperty(nodes, async (node) => {
      await engines.expectSame(...fileOf(node));
    });
    await fc.assert(property, { seed, numRuns: RUNS });
  });
});
