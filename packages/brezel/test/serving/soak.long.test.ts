import { spawn } from 'node:child_process';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// A process calls a runtime and a registry for SOAK_MINUTES (by default 2). After a third of the
// time, its resident memory must grow by less than 1 MiB for a million calls. A run with fewer
// calls cannot measure less than 1 MiB, because garbage collection changes samples by some KiB.

const MINUTES = Number(process.env.SOAK_MINUTES ?? 2);
const MIB = 2 ** 20;

interface Sample {
  readonly calls: number;
  readonly bytes: number;
}
interface Soak {
  readonly samples: readonly Sample[];
  /** The number of refused calls by the code of their error. */
  readonly codes: Readonly<Record<string, number>>;
  readonly references: number;
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;
const middle = (samples: readonly Sample[]): Sample => ({
  calls: median(samples.map(({ calls }) => calls)),
  bytes: median(samples.map(({ bytes }) => bytes)),
});

test(`${MINUTES} minutes of calls: resident memory does not grow`, async () => {
  const script = fileURLToPath(new URL('soak.mjs', import.meta.url));
  const child = spawn(process.execPath, ['--expose-gc', script], {
    env: { ...process.env, SOAK_MINUTES: String(MINUTES) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { samples, codes, references } = (await json(child.stdout)) as Soak;
  const third = Math.floor(samples.length / 3);
  const [before, after] = [middle(samples.slice(third, 2 * third)), middle(samples.slice(-third))];
  const millions = (after.calls - before.calls) / 1e6;
  const growth = (after.bytes - before.bytes) / MIB;
  console.info(
    `${samples.at(-1)!.calls} calls, MiB resident: ${samples.map(({ bytes }) => (bytes / MIB).toFixed(1)).join(', ')}`,
  );
  console.info(`${growth.toFixed(2)} MiB in ${millions.toFixed(2)} million calls`);
  expect(growth).toBeLessThan(Math.max(1, millions));
  expect(Object.keys(codes).toSorted()).toEqual(['ERR_REGISTRY_UNKNOWN', 'ERR_RUNTIME_INPUT']);
  expect(references).toBe(0);
});
