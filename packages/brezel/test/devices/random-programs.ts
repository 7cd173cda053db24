import type { FlourContext, Flow, Program, RuntimeOptions } from 'brezel';
import { expect } from 'vitest';
import { randomForest } from '../../../lowering/test/random.js';
import { runtimes } from '../serving/runtimes.js';
import { features, number, numbers, registered, rowsOf, WIDTH } from './plans.js';
import { PosingDevice } from './posing-device.js';

type Vector = Flow<'vector'>;

interface Made {
  readonly flow: Vector;
  readonly size: number;
}

const below = (limit: number): number => Math.min(limit - 1, Math.floor(((number() + 1) / 2) * limit));

const dense = (inputs: number, outputs: number) => ({
  weights: numbers(inputs * outputs),
  bias: numbers(outputs),
  activation: (['none', 'relu', 'tanh', 'softmax'] as const)[below(4)]!,
});

/**
 * Operators over vectors of any size: some run on a device, some do not. No operator turns small
 * numbers into large numbers.
 */
const makers: readonly ((flow: Vector, size: number) => Made)[] = [
  (flow, size) => ({ flow: flow.normalize('l2') as Vector, size }),
  (flow, size) => ({ flow: flow.normalize('l1') as Vector, size }),
  (flow, size) => ({ flow: flow.scale({ offset: numbers(size), scale: numbers(size).map((one) => 2 + one) }), size }),
  (flow, size) => ({ flow: flow.project({ components: numbers(4 * size), mean: numbers(size) }), size: 4 }),
  (flow, size) => ({ flow: flow.mlp({ layers: [dense(size, 9), dense(9, 5)] }) as Vector, size: 5 }),
  (flow, size) => ({ flow: flow.map('tanh') as Vector, size }),
  (flow, size) => ({ flow: flow.map('sigmoid') as Vector, size }),
  (flow, size) => ({ flow: flow.kMeansDistances({ centers: numbers(3 * size) }) as Vector, size: 3 }),
];

/**
 * Builds a graph of vectors. The last vector and some others are outputs. Some graphs have a forest
 * over the inputs.
 */
export function randomProgram(flour: FlourContext): Program {
  const pool: Made[] = [{ flow: features(flour), size: WIDTH }];
  for (let at = 2 + below(7); at > 0; at--) {
    const { flow, size } = pool[below(pool.length)]!;
    const [one, other] = [makers[below(makers.length)]!(flow, size), pool[below(pool.length)]!];
    pool.push(below(4) === 0 ? { flow: one.flow.concat(other.flow) as Vector, size: one.size + other.size } : one);
  }
  const outputs = pool.filter((_, at) => at > 0 && (at === pool.length - 1 || below(3) === 0));
  const forest = randomForest({ trees: 3, depth: 3, features: WIDTH, targets: 2 });
  const trees: Record<string, Flow> = below(3) === 0 ? { trees: pool[0]!.flow.treeEnsemble(forest) } : {};
  return flour.program({ ...Object.fromEntries(outputs.map(({ flow }, at) => [`y${at}`, flow])), ...trees });
}

/**
 * A profile of a device whose calls cost almost nothing, so that the device runs every stage that
 * can be lowered.
 */
export const freeCalls = { callMicros: 0.001, flopsPerMicro: 1e9, transferBytesPerMicro: 1e9 };

/**
 * Runs random programs in both runtimes, with plans that are cut for a device. While the device
 * fails, the CPU runs the cut stages, and the answers have the bits of the original plan. Returns
 * how many stages were cut or joined.
 */
export async function compareCutPrograms(flour: FlourContext, programs: number): Promise<number> {
  const device = new PosingDevice();
  const options: Omit<RuntimeOptions, 'store'> = { backends: [device], device: { profile: freeCalls, retryMs: 0 } };
  let changed = 0;
  for (const [name, runtime] of runtimes(flour, options)) {
    for (let at = 0; at < programs; at++) {
      const plan = registered(runtime, randomProgram(flour).plan(), { device: 'gpu' });
      const rows = rowsOf(20);
      const wanted = rows.map((row) => runtime.predictSync(plan, row));
      changed += runtime.placement(plan, 9).filter(({ steps, joined }) => steps ?? joined).length;
      expectMostNear(await runtime.predictBatch(plan, rows), wanted);
      device.fault = () => Promise.reject(new Error('unplugged'));
      expect(await runtime.predictBatch(plan, rows), `${name}, program ${at}: the CPU's bits`).toEqual(wanted);
      device.fault = undefined;
      runtime.unregister(plan);
      expect(runtime.stats(), 'nothing stays behind').toMatchObject({ plans: [], stages: { distinct: 0 } });
    }
    await runtime.close();
  }
  return changed;
}

const numbersOf = (answers: unknown): number[] =>
  typeof answers === 'number' ? [answers] : Object.values(answers as object).flatMap(numbersOf);

/**
 * If operators divide by small numbers, small differences become large. Only a few answers may
 * differ so much.
 */
function expectMostNear(received: unknown, wanted: unknown): void {
  const [mine, theirs] = [numbersOf(received), numbersOf(wanted)];
  const far = mine.filter((one, at) => !(Math.abs(one - theirs[at]!) <= 1e-2 * (1 + Math.abs(theirs[at]!))));
  expect([mine.length, far.length <= mine.length / 20]).toEqual([theirs.length, true]);
}
