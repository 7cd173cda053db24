import { expect, test } from 'vitest';
import { seed } from '../conformance/seed.js';
import { checkRandomBlackBoxes } from './random-black-boxes.js';
import { checkRandomRowBoxes } from './random-row-boxes.js';

const runs = Math.ceil(Number(process.env.BREZEL_FUZZ_RUNS ?? 2000) / 10);

test(`${runs} random graphs, some of their operators in black boxes`, async () => {
  const { boxes, nodes } = await checkRandomBlackBoxes(runs, seed);
  console.info(`BREZEL_FUZZ_RUNS/10=${runs}: ${nodes} nodes, ${boxes} black boxes`);
  expect(boxes).toBeGreaterThan(runs / 2);
});

const rowRuns = Math.ceil(runs / 8);

test(`${rowRuns} random graphs over rows, some of their operators in black boxes`, async () => {
  const { boxes, stages } = await checkRandomRowBoxes(rowRuns, seed);
  console.info(`BREZEL_FUZZ_RUNS/80=${rowRuns}: ${stages} stages, ${boxes} black boxes`);
  expect(boxes).toBeGreaterThan(rowRuns / 2);
});
