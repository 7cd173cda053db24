import type { OwnedPlan } from '@brezel/core';
import type { Program } from '@brezel/flour';
import { emit } from './compile/emit.js';
import { CompilationContext, type OvenOptions, optimize } from './driver.js';
import { fromProgram } from './logical-plan.js';

/**
 * Optimizes a program and compiles it.
 *
 * @returns a plan that holds one reference to each parameter it needs, until `release()`.
 * @throws ERR_OVEN_GRAPH, ERR_OVEN_SCHEMA when the program (or a rule) is not well formed.
 * @example const plan = bake(program, { exact: true });
 */
export function bake(program: Program, options: OvenOptions = {}): OwnedPlan {
  const { store } = program.context;
  const context = new CompilationContext(store);
  try {
    const logical = optimize(fromProgram(program), context, options);
    const compiled = emit(logical, store, context);
    const leases = compiled.parameters.map((id) => {
      store.retain(id);
      return store.lease(id);
    });
    const release = () => {
      for (const lease of leases) lease.release();
    };
    return Object.freeze(Object.defineProperty({ ...compiled }, 'release', { value: release }) as OwnedPlan);
  } finally {
    context.release();
  }
}
