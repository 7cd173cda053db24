import type { TensorFlow } from './tensor-flow.js';

/**
 * Runs `work` and frees every tensor that `work` created, except the tensors in `kept` of its
 * result. If `work` throws, it also frees the variables.
 *
 * A worker runs one task at a time, so `work` creates all tensors that appear while it runs.
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
