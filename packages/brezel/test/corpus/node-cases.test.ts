import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BrezelError, createRuntime, importTensors, openStore, replayTestData } from 'brezel';
import { describe, expect, test } from 'vitest';
import { corpus } from './corpus.js';

// ONNX's own conformance cases, one operator each, as tensor programs. `UPDATE_GOLDEN=1` writes the list of those that are left out, with reasons.

const list = new URL('node-cases-left-out.json', import.meta.url);
const leftOut: Record<string, string> = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : {};
const folder = corpus === undefined ? '' : join(corpus, 'onnx-node');
const names = corpus === undefined ? [] : readdirSync(folder).sort();

const runtime = createRuntime({ store: await openStore({ native: false }) });

/** Why a case fails, or undefined. Only errors of ours are reasons; anything else is a fault of the test's subject. */
async function failure(name: string): Promise<string | undefined> {
  try {
    const model = importTensors(readFileSync(join(folder, name, 'model.onnx')));
    const why = new BrezelError('ERR_NONE', { message: '', hint: '' });
    const outputs = await replayTestData({ kind: 'tensor', why: why as never, ...model }, runtime, join(folder, name));
    if (outputs.length === 0) return 'nothing was compared';
    const wrong = outputs.find(({ agrees }) => !agrees);
    return wrong && `${wrong.output}: ${wrong.difference}`;
  } catch (error) {
    if (!(error instanceof BrezelError) || error.code === 'ERR_INTERNAL') throw error;
    return `${error.code}: ${error.details.received ?? error.message}`;
  }
}

describe.skipIf(corpus === undefined)('ONNX conformance cases', () => {
  test('all of them are there', () => {
    expect(names.length).toBeGreaterThanOrEqual(540);
    expect(Object.keys(leftOut).filter((name) => !names.includes(name))).toEqual([]);
  });

  test('every case gives its stored outputs, or is left out with a reason', async () => {
    const failures: Record<string, string> = {};
    for (const name of names) {
      const reason = await failure(name);
      if (reason !== undefined) failures[name] = reason;
    }
    if (process.env.UPDATE_GOLDEN === '1') {
      writeFileSync(list, `${JSON.stringify(failures, null, 2)}\n`);
      return;
    }
    const unexpected = Object.entries(failures).filter(([name]) => !(name in leftOut));
    expect(Object.fromEntries(unexpected), 'these fail and are not left out').toEqual({});
    const passing = Object.keys(leftOut).filter((name) => !(name in failures));
    expect(passing, 'these pass: UPDATE_GOLDEN=1 takes them off the list').toEqual([]);
  });
});
