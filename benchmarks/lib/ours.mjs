import { readFileSync } from 'node:fs';
import { createFlour, createRuntime, importOnnx, openStore } from 'brezel';

/**
 * Loads ONNX files into one runtime the way a server would: what only compiling needs is given back after each.
 *
 * @param {{ native?: boolean, isa?: string }} [options]
 */
export async function openServer({ native = true, isa } = {}) {
  const store = await openStore({ native });
  const runtime = createRuntime({ store, native, isa });
  return {
    runtime,
    store,
    /** @param {string} path @param {import('brezel').RegisterOptions} [options] */
    async load(path, options) {
      const flour = await createFlour({ store });
      const compiled = importOnnx(readFileSync(path), flour).program.plan();
      const plan = runtime.register(compiled, options);
      compiled.release();
      flour.dispose();
      return plan;
    },
  };
}

/** @param {Awaited<ReturnType<typeof openServer>>} server @param {import('brezel').RegisteredPlan} plan @param {string} text @returns {number} probability of class 1 */
export function probabilityByUs(server, plan, text) {
  const { probabilities } = server.runtime.predictSync(plan, text);
  return Number(/** @type {number[]} */ (probabilities)[1]);
}
