import { runtimeError } from '../../errors.js';

let isReported = false;

/** Reports once that a stage does not fit into WebAssembly memory and runs in JavaScript. */
export function warnOfMemory(cause: unknown): void {
  if (isReported) return;
  isReported = true;
  const { code, message, hint } = runtimeError('ERR_RUNTIME_MEMORY', { received: (cause as Error).message });
  process.emitWarning(`${message}; a stage runs in JavaScript, which is much slower; ${hint}`, {
    type: 'BrezelWarning',
    code,
  });
}
