import { test } from 'vitest';
import { seed } from '../conformance/seed.js';
import { fuzzImport } from './fuzz-import.js';

const runs = Number(process.env.BREZEL_FUZZ_RUNS ?? 20_000);
console.info(`BREZEL_FUZZ_RUNS=${runs}`);

test('mutated bytes of small models', () => fuzzImport('small', 'bytes', runs, seed));
test('mutated graphs of small models', () => fuzzImport('small', 'graphs', runs, seed));
test('mutated bytes of example models', () => fuzzImport('large', 'bytes', Math.ceil(runs / 25), seed));
test('mutated graphs of example models', () => fuzzImport('large', 'graphs', Math.ceil(runs / 100), seed));
