import type { Backend, BackendReport } from '@brezel/core';
import { onnxruntimeBackend } from '@brezel/onnxruntime';
import { tfjsBackend } from '@brezel/tfjs';

/**
 * Returns one new instance of each built-in backend, even if its package is not installed. A
 * backend costs nothing until it is used.
 */
export const ownBackends = (): Backend[] => [onnxruntimeBackend(), tfjsBackend()];

/** The result of `findBackends`. */
export interface FoundBackends {
  /** The backends that work on this machine, for `createRuntime({ backends })`. */
  readonly backends: readonly Backend[];
  /**
   * One report for each candidate: which version is installed, which of its execution providers
   * work, why the other providers fail, and what to do.
   */
  readonly reports: readonly BackendReport[];
}

/**
 * Finds the backends that work on this machine. Call it once when a process starts. The function
 * disposes of the candidates that do not work.
 *
 * A failed backend is reported, not thrown. The call takes up to some seconds, because it tries
 * each execution provider in a separate process.
 *
 * @param candidates backends to test. Default: the built-in ones.
 * @example
 * const { backends, reports } = await findBackends();
 * for (const { name, why } of reports) if (why !== undefined) console.warn(`${name}: ${why}`);
 * const runtime = createRuntime({ store: flour.store, backends });
 */
export async function findBackends(candidates: readonly Backend[] = ownBackends()): Promise<FoundBackends> {
  const reports = await Promise.all(candidates.map((backend) => backend.probe()));
  const [backends, others] = [true, false].map((works) =>
    candidates.filter((_, index) => reports[index]!.available === works),
  );
  await Promise.all(others!.map((backend) => backend.dispose()));
  return { backends: backends!, reports };
}
