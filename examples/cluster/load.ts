import type { Fleet } from '@brezel/nats';
import type { Answer, ModelRegistry } from 'brezel';

const CALLERS = 8;

/** The results of a load. */
export interface LoadResult {
  readonly requests: number;
  readonly errors: number;
  /** The number of answers that differ from the answers of this process. */
  readonly wrong: number;
  readonly p99Ms: number;
}

/** The texts of the requests. */
export const texts = Array.from(
  { length: 20 },
  (_, index) => `a good film number ${index}, ${'very '.repeat(index % 4)}long`,
);

/** The parts that a load needs: the client, and the same models in this process. */
export interface LoadParts {
  readonly fleet: Fleet;
  readonly registry: ModelRegistry;
}

/** Sends requests for the models and compares each answer, while `work` runs. */
export async function underLoad(
  { fleet, registry }: LoadParts,
  models: readonly string[],
  work: () => Promise<void>,
): Promise<LoadResult> {
  const expected = new Map<string, Answer[]>();
  for (const model of models) expected.set(model, await registry.predictBatch(model, texts));
  const times: number[] = [];
  let [errors, wrong, sent] = [0, 0, 0];
  let isOver = false;
  const call = async () => {
    while (!isOver) {
      const [model, text] = [models[sent % models.length]!, (sent * 7) % texts.length];
      sent++;
      const start = performance.now();
      try {
        const answer = await fleet.predict(model, texts[text]!);
        if (JSON.stringify(answer) !== JSON.stringify(expected.get(model)![text])) wrong++;
      } catch (error) {
        errors++;
        console.error(error);
      }
      times.push(performance.now() - start);
    }
  };
  const running = Array.from({ length: CALLERS }, call);
  try {
    await work();
  } finally {
    isOver = true;
    await Promise.all(running);
  }
  times.sort((one, other) => one - other);
  return { requests: sent, errors, wrong, p99Ms: times[Math.floor(times.length * 0.99)] ?? 0 };
}

export const describeLoad = ({ requests, errors, wrong, p99Ms }: LoadResult): string =>
  `${requests} requests, ${errors} errors, ${wrong} wrong answers, p99 ${p99Ms.toFixed(1)} ms`;
