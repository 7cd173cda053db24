import { test } from 'vitest';
import { seed } from '../conformance/seed.js';
import { fuzzTensors } from './fuzz-tensors.js';

// A short run: fuzz.long.test.ts draws 20,000 mutations of each kind.
test('mutated graphs of our tensor programs', () => fuzzTensors('own', 'graphs', 500, seed));
test('mutated bytes of our tensor programs', () => fuzzTensors('own', 'bytes', 400, seed));
test('mutated graphs of conformance cases', () => fuzzTensors('cases', 'graphs', 600, seed));
test('mutated bytes of conformance cases', () => fuzzTensors('cases', 'bytes', 400, seed));
