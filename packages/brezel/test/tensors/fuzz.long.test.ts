import { test } from 'vitest';
import { seed } from '../conformance/seed.js';
import { fuzzTensors } from './fuzz-tensors.js';

const runs = Number(process.env.BREZEL_FUZZ_RUNS ?? 20_000);
console.info(`BREZEL_FUZZ_RUNS=${runs}`);

test('mutated graphs of our tensor programs', () => fuzzTensors('own', 'graphs', runs, seed));
test('mutated bytes of our tensor programs', () => fuzzTensors('own', 'bytes', runs, seed));
test('mutated graphs of conformance cases', () => fuzzTensors('cases', 'graphs', runs, seed));
test('mutated bytes of conformance cases', () => fuzzTensors('cases', 'bytes', runs, seed));
