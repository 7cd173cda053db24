import { dtypeOf, type ValueType } from '@brezel/core';
import {
  BrezelError,
  createFlour,
  createRuntime,
  type FlourContext,
  type ImportOptions,
  importOnnx,
  loadNative,
  type ObjectStore,
  type Row,
  type Runtime,
} from 'brezel';
import { expect } from 'vitest';
import { until } from '../../../../testing/until.js';
import { difference } from '../conformance/engines.js';

/** Codes of defects in Brezel. No file may cause them. */
const OUR_FAULT = new Set(['ERR_INTERNAL', 'ERR_RUNTIME_NATIVE', 'ERR_OVEN_SCHEMA', 'ERR_OVEN_RULE']);
/**
 * Longer answers are computed but not compared, because lists of millions are slow to compare.
 */
const WIDE = 2 ** 16;

/**
 * Waits until the store is empty. Finalizers release the objects of garbage-collected leases a
 * little later than the collector runs.
 */
export async function settled(store: ObjectStore): Promise<ReturnType<ObjectStore['stats']>> {
  await until(() => store.stats().objects === 0);
  return store.stats();
}

/** Imports hostile files and runs the accepted ones. */
export class Survivor {
  readonly #flour: FlourContext;
  readonly #runtimes: readonly Runtime[];

  private constructor(flour: FlourContext) {
    this.#flour = flour;
    this.#runtimes = [
      createRuntime({ store: flour.store, native: false }),
      ...(loadNative().addon ? [createRuntime({ store: flour.store })] : []),
    ];
  }

  static async create(): Promise<Survivor> {
    return new Survivor(await createFlour());
  }

  /**
   * Returns the code of the error that rejects a file. Returns `works` if every engine gives the
   * same answers.
   *
   * @throws if the error is not a Brezel error, if answers differ, or if objects remain in the
   * store.
   */
  async outcome(bytes: Uint8Array, options: ImportOptions = {}): Promise<string> {
    try {
      return await this.#run(bytes, options);
    } catch (error) {
      if (!(error instanceof BrezelError) || OUR_FAULT.has(error.code)) throw error;
      expect(error.hint, error.message).not.toBe('');
      expect(error.message.length, error.message.slice(0, 2000)).toBeLessThan(20_000);
      return error.code;
    } finally {
      this.#flour.dispose();
      const left = (await settled(this.#flour.store)).objects;
      expect(left, 'objects left in the store').toBe(0);
    }
  }

  async #run(bytes: Uint8Array, options: ImportOptions): Promise<string> {
    const { program } = importOnnx(bytes, this.#flour, options);
    const plan = program.plan();
    try {
      const rows = [0, 1, 2].map((row) =>
        Object.fromEntries(program.inputs.map(({ name, type }) => [name!, inputValue(type, row)])),
      );
      const answers: unknown[] = [];
      for (const runtime of this.#runtimes) {
        const registered = runtime.register(plan);
        try {
          if (plan.width > WIDE) {
            runtime.predictSync(registered, rows[0] as Row, new Float64Array(plan.width));
            continue;
          }
          answers.push(
            await runtime.predictBatch(registered, rows, { engine: 'reference' }),
            await runtime.predictBatch(registered, rows),
          );
          answers.push(rows.map((row) => runtime.predictSync(registered, row as Row)));
        } finally {
          runtime.unregister(registered);
        }
      }
      for (const answer of answers) {
        const found = difference(answer, answers[0]);
        if (found !== undefined) throw new Error(`engines differ: ${found}`);
      }
      return 'works';
    } finally {
      plan.release();
    }
  }
}

const texts = ['', 'good not good a b ab 1', 'Été \0 日本 😀 \ud800'];

/** Returns a dictionary with known and unknown keys. */
function dictionaryValue(type: Extract<ValueType, { kind: 'dictionary' }>, row: number): unknown {
  const keys = type.keys === 'int64' ? ['0', '3', '1', '99'] : ['a', 'good', '', '__proto__'];
  const value = (at: number) =>
    type.values === 'string' ? ['1', '-2', '0'][at % 3] : type.values === 'int64' ? at : at / 4;
  return new Map(keys.slice(0, row + 1).map((key, at) => [key, value(at)]));
}

function inputValue(type: ValueType, row: number): unknown {
  if (type.kind === 'dictionary') return dictionaryValue(type, row);
  const element = (at: number) => {
    switch (dtypeOf(type)) {
      case 'string':
        return texts[(row + at) % texts.length]!;
      case 'bool':
        return (row + at) % 2 === 0;
      case 'int64':
      case 'int32':
        return row - at;
      default:
        return [0, -1.5, Number.NaN, 1e30][(row + at) % 4]!;
    }
  };
  return type.kind === 'vector' ? Array.from({ length: type.size }, (_, at) => element(at)) : element(0);
}
