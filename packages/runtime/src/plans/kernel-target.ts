import { runtimeError } from '../errors.js';
import type { Isa, NativeKernels } from '../execute/native/native-kernels.js';
import { warnOfMemory } from '../execute/wasm/warn-of-memory.js';
import type { RuntimeParts } from '../runtime-parts.js';
import type { KernelTarget } from './catalog.js';
import type { Pieces } from './pieces.js';

/**
 * Returns the kernels of the addon with their instruction set, or the kernels in WebAssembly if no
 * addon is loaded. Returns undefined without both.
 * @throws ERR_RUNTIME_ENGINE
 */
export function kernelTarget({
  native,
  wasm,
  isa,
}: Pick<RuntimeParts, 'native' | 'wasm' | 'isa'>): KernelTarget | undefined {
  if (native !== undefined) return { engine: 'native', kernels: native, isa: chooseIsa(native, isa) };
  // WebAssembly has only one instruction set, so the option `isa` does not matter.
  return wasm && { engine: 'wasm', kernels: wasm, isa: 'baseline', full: warnOfMemory };
}

function chooseIsa(native: NativeKernels, wanted: string | undefined): Isa {
  const available = native.isas();
  if (wanted === undefined) return available.at(-1)!;
  const found = available.find((isa) => isa === wanted);
  if (found !== undefined) return found;
  throw runtimeError('ERR_RUNTIME_ENGINE', {
    expected: `an instruction set of this machine (${available.join(', ')})`,
    received: wanted,
  });
}

/** Runs a function, and adds the name of the plan to an error of the addon. */
export function withPlanName<T>(plan: string, link: () => T): T {
  try {
    return link();
  } catch (cause) {
    throw withName(cause, plan);
  }
}

/** Does work in pieces, and adds the name of the plan to an error of the addon. */
export function* piecesWithPlanName<T>(plan: string, pieces: Pieces<T>): Pieces<T> {
  try {
    return yield* pieces;
  } catch (cause) {
    throw withName(cause, plan);
  }
}

function withName(cause: unknown, plan: string): unknown {
  const { code, message } = cause as { code?: string; message: string };
  if (code === 'ERR_NATIVE_MEMORY') return runtimeError('ERR_RUNTIME_MEMORY', { received: message, at: plan, cause });
  if (!code?.startsWith('ERR_NATIVE_')) return cause;
  return runtimeError('ERR_RUNTIME_NATIVE', { received: message, at: plan, cause });
}
