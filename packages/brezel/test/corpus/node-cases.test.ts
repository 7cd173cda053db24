import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OnnxError } from '@brezel/onnx';
import {
  BrezelError,
  createFlour,
  createRuntime,
  type Imported,
  importModel,
  importTensors,
  replayTestData,
} from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { updateCommand } from '../../../../testing/golden.js';
import { corpus } from './corpus.js';

// Runs the conformance cases of ONNX as tensor programs; each case has one operator.
// `UPDATE_GOLDEN=1` writes the list of skipped cases with reasons.

const list = new URL('node-cases-left-out.json', import.meta.url);
const leftOut: Record<string, string> = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : {};
const folder = corpus === undefined ? '' : join(corpus, 'onnx-node');
const names = corpus === undefined ? [] : readdirSync(folder).sort();

const flour = await createFlour();
const runtime = createRuntime({ store: flour.store });
afterAll(async () => {
  await runtime.close();
  flour.dispose();
});

const caseFile = (name: string) => readFileSync(join(folder, name, 'model.onnx'));
/** Imports a file as a tensor program, even if it could be a row program. */
const asTensors = (bytes: Uint8Array): Imported => {
  const why = new OnnxError('ERR_ONNX_SHAPE', { message: 'not asked', hint: 'none' });
  return { kind: 'tensor', why, ...importTensors(bytes, { flour }) };
};

/**
 * Returns why a case fails, or undefined. Only errors of Brezel are reasons. Any other error is a
 * defect in Brezel, and fails the test.
 */
async function failure(name: string, read: (bytes: Uint8Array) => Imported | undefined): Promise<string | undefined> {
  try {
    const model = read(caseFile(name));
    if (model === undefined) return undefined;
    const outputs = await replayTestData(model, runtime, join(folder, name));
    if (outputs.length === 0) return 'nothing was compared';
    const wrong = outputs.find(({ agrees }) => !agrees);
    return wrong && `${wrong.output}: ${wrong.difference}`;
  } catch (error) {
    if (!(error instanceof BrezelError) || error.code === 'ERR_INTERNAL') throw error;
    return `${error.code}: ${error.details.received ?? error.message}`;
  }
}

describe.skipIf(corpus === undefined)('ONNX conformance cases', () => {
  test('all cases exist', () => {
    expect(names.length).toBeGreaterThanOrEqual(540);
    expect(Object.keys(leftOut).filter((name) => !names.includes(name))).toEqual([]);
  });

  test('every case gives its stored outputs, or is skipped with a reason', async () => {
    const failures: Record<string, string> = {};
    for (const name of names) {
      const reason = await failure(name, asTensors);
      if (reason !== undefined) failures[name] = reason;
    }
    if (process.env.UPDATE_GOLDEN === '1') {
      writeFileSync(list, `${JSON.stringify(failures, null, 2)}\n`);
      return;
    }
    const unexpected = Object.entries(failures).filter(([name]) => !(name in leftOut));
    expect(Object.fromEntries(unexpected), `these fail; ${updateCommand()} adds them to the list`).toEqual({});
    const passing = Object.keys(leftOut).filter((name) => !(name in failures));
    expect(passing, `these pass; ${updateCommand()} removes them from the list`).toEqual([]);
  });
  test('a case that runs as a row program gives its stored outputs, too', async () => {
    const failures: Record<string, string> = {};
    let byRows = 0;
    for (const name of names) {
      const reason = await failure(name, (bytes) => {
        const model = rowsOf(bytes);
        byRows += model === undefined ? 0 : 1;
        return model;
      });
      if (reason !== undefined) failures[name] = reason;
    }
    expect(byRows).toBeGreaterThan(25);
    expect(failures).toEqual({});
  });
});

/** Imports the model as a row program. Returns undefined if the model cannot be a row program. */
function rowsOf(bytes: Uint8Array): Imported | undefined {
  try {
    const model = importModel(bytes, flour);
    return model.kind === 'row' ? model : undefined;
  } catch (error) {
    if (error instanceof OnnxError && error.code === 'ERR_ONNX_UNSUPPORTED') return undefined;
    throw error;
  }
}
