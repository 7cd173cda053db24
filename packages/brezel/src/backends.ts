import type { Backend, BackendReport } from '@brezel/core';
import { onnxruntimeBackend } from '@brezel/onnxruntime';
import { tfjsBackend } from '@brezel/tfjs';

/** A new one of each backend that comes with Brezel, whether or not what it needs is installed. Costs nothing until it is used. */
export const ownBackends = (): Backend[] => [onnxruntimeBackend(), tfjsBackend()];

/** What there is at start. */
export interface FoundBackends {
  /** Those that work here, for `createRuntime({ backends })`. */
  readonly backends: readonly Backend[];
  /** Of all that were asked: what is installed, which providers load, why not, and what to do. */
  readonly reports: readonly BackendReport[];
}

/**
 * Asks backends what works here, once, when a process starts. Those that do not work are disposed of. Never throws for what it finds; takes up to
 * seconds, for each provider is tried in a process of its own.
 *
 * @example
 * const { backends, reports } = await findBackends();
 * for (const { name, why } of reports) if (why !== undefined) console.warn(`${name}: ${why}`);
 * const runtime = createRuntime({ store: flour.store, backends });
 */
export async function findBackends(candidates: readonly Backend[] = ownBackends()): Promise<FoundBackends> {
  const reports = await Promise.all(candidates.map((backend) => backend.probe()));
  const [backends, others] = [true, false].map((works) =>
    candidates.filter((_, at) => reports[at]!.available === works),
  );
  await Promise.all(others!.map((backend) => backend.dispose()));
  return { backends: backends!, reports };
}
