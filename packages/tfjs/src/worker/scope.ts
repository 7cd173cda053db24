import type { TensorFlow } from './tensor-flow.js';

/**
 * Calls `work`, and then frees every tensor that `work` has created, except the tensors in the
 * field `kept` of its result. If `work` throws, also frees the variables that it has created.
 *
 * A worker runs one task at a time, so all tensors that appear meanwhile come from `work`.
 */
export async function inScope<T>(tf: TensorFlow, work: () => Promise<{ value: T; kept?: unknown }>): Promise<T> {
  const engine = tf.engine();
  const before = new Set(Object.keys(engine.registeredVariables));
  engine.startScope('brezel');
  let kept: unknown;
  try {
    const result = await work();
    kept = result.kept;
    return result.value;
  } catch (error) {
    for (const [name, variable] of Object.entries(engine.registeredVariables))
      if (!before.has(name)) variable.dispose();
    throw error;
  } finally {
    engine.endScope(kept);
  }
}
