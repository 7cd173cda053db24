import { runtimeError } from '../errors.js';
import type { Isa, NativeKernels, RowKernels } from '../execute/native/native-kernels.js';
import type { RuntimeParts } from '../runtime-parts.js';
import type { KernelTarget } from './catalog.js';
import type { Pieces } from './pieces.js';

/** A loaded addon, and the instruction set that the runtime uses. */
export interface NativeTarget extends KernelTarget {
  readonly kernels: NativeKernels;
}

/**
 * Returns the addon and the instruction set of its kernels, if an addon is loaded.
 * @throws ERR_RUNTIME_ENGINE
 */
export const nativeTarget = ({ native, isa }: Pick<RuntimeParts, 'native' | 'isa'>): NativeTarget | undefined =>
  native && { kernels: native, isa: chooseIsa(native, isa) };

function chooseIsa(native: RowKernels, wanted: string | undefined): Isa {
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
  if (!code?.startsWith('ERR_NATIVE_')) return cause;
  return runtimeError('ERR_RUNTIME_NATIVE', { received: message, at: plan, cause });
}
