import { test } from 'vitest';
import { seed } from '../conformance/seed.js';
import { fuzzImport } from './fuzz-import.js';

// A short run: hostile-files.long.test.ts draws 20,000 mutations.
test('mutated bytes of small models', () => fuzzImport('small', 'bytes', 150, seed));
test('mutated graphs of small models', () => fuzzImport('small', 'graphs', 150, seed));
test('mutated bytes of example models', () => fuzzImport('large', 'bytes', 10, seed));
test('mutated graphs of example models', () => fuzzImport('large', 'graphs', 5, seed));
