import { type Backend, type BackendReport, vector } from '@brezel/core';
import type { Flow } from '@brezel/flour';
import { createFlour, createRuntime } from '../wire.js';
import type { PartReport } from './part-report.js';

const WIDTH = 32;
const ROWS = 8;
/** The answers of a lowered stage may differ from the CPU's answers by at most this much. */
const TOLERANCE = 1e-4;

/**
 * Runs a small dense stage on the first GPU provider that works, like plans with `device: 'gpu'`.
 * If no GPU provider works, the function tries the CPU provider, to find out whether only the GPU
 * is missing. The answers must agree with the answers of Brezel's own CPU kernels.
 */
export async function tryLowering(
  backends: readonly Backend[],
  reports: readonly BackendReport[],
): Promise<PartReport> {
  const index = reports.findIndex(({ available }, backend) => available && backends[backend]!.formats.includes('onnx'));
  if (index < 0)
    return {
      works: false,
      what: 'dense stages run on the CPU',
      why: 'no working backend for ONNX models',
      remedy: reports.find(({ remedy }) => remedy !== undefined)?.remedy ?? 'npm install onnxruntime-node',
    };
  const working = reports[index]!.providers.filter(({ available }) => available);
  const gpu = working.find(({ device }) => device === 'gpu');
  const provider = (gpu ?? working[0]!).name;
  try {
    const farthest = await farthestAnswer(backends[index]!, provider);
    if (!(farthest <= TOLERANCE)) return wrong(provider, farthest);
    if (gpu !== undefined) return { works: true, what: `dense stages run on ${provider}` };
    return {
      works: false,
      what: 'dense stages run on the CPU',
      why: `no GPU provider works; the test stage gives correct answers on ${provider}`,
    };
  } catch (error) {
    const remedy = `name another provider: register(plan, { device: 'gpu', providers: [...] })`;
    return { works: false, what: `dense stages fail on ${provider}`, why: (error as Error).message, remedy };
  }
}

const wrong = (provider: string, farthest: number): PartReport => ({
  works: false,
  what: `wrong answers on ${provider}`,
  why: `answers differ from the CPU by up to ${farthest}`,
  remedy: 'update the driver; if it does not help, name another provider or remove the option device',
});

/**
 * Runs rows on a device and on the CPU, and returns the largest difference between the answers.
 *
 * @throws when the device did not answer.
 */
async function farthestAnswer(backend: Backend, provider: string): Promise<number> {
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store, backends: [backend] });
  const number = (index: number) => Math.sin(index);
  const weights = Array.from({ length: WIDTH * WIDTH }, (_, index) => number(index));
  const x = flour.input('x', vector('float32', WIDTH)) as Flow<'vector'>;
  const plan = flour
    .program({ y: x.mlp({ layers: [{ weights, bias: weights.slice(0, WIDTH), activation: 'tanh' }] }) })
    .plan();
  const registered = runtime.register(plan, { device: 'gpu', providers: [provider] });
  plan.release();
  await runtime.warm(registered);
  const rows = Array.from({ length: ROWS }, (_, row) => ({ x: weights.slice(row, row + WIDTH) }));
  const answers = await runtime.predictBatch(registered, rows);
  const [stage] = runtime.stats().devices[0]!.stages;
  if (stage!.rows !== ROWS) throw new Error(stage!.lastFailure ?? 'the device was not used');
  const distances = answers.flatMap(({ y }, row) => {
    const wanted = runtime.predictSync(registered, rows[row]!).y as number[];
    return wanted.map((value, index) => Math.abs(value - (y as number[])[index]!));
  });
  return Math.max(...distances);
}
