let hasWarned = false;

/**
 * Warns once for the process that worker threads cannot run (`BREZEL_THREADS`). The warning is
 * necessary because batches then run on the calling thread without an error.
 */
export function warnOfThreads(cause: unknown): void {
  if (hasWarned) return;
  hasWarned = true;
  const reason = cause instanceof Error ? cause.message : String(cause);
  process.emitWarning(
    `worker threads cannot run, so batches run on the calling thread: ${reason}. If a bundler built this program, leave brezel out of the bundle, or let the bundler use the export condition "module".`,
    { type: 'BrezelWarning', code: 'BREZEL_THREADS' },
  );
}
