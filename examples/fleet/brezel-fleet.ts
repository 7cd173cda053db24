import { type CompiledPlan, createFlour, createRuntime, importOnnx, type RegisteredPlan, type Runtime } from 'brezel';
import type { Fleet, ModelFile } from './fleet.js';

/** Models in one runtime, which stores shared parameters and stages once. */
export interface BrezelFleet extends Fleet {
  readonly runtime: Runtime;
  readonly plans: readonly CompiledPlan[];
}

/** Opens a fleet without models. `add` imports a file, plans it and registers the plan. */
export async function openBrezel(): Promise<BrezelFleet> {
  const flour = await createFlour();
  const runtime = createRuntime({ store: flour.store });
  const plans: (CompiledPlan & { release(): void })[] = [];
  const handles: RegisteredPlan[] = [];
  return {
    runtime,
    plans,
    async add({ name, bytes }: ModelFile) {
      const plan = importOnnx(bytes, flour, { name }).program.plan();
      plans.push(plan);
      handles.push(runtime.register(plan));
    },
    ask(member, text) {
      const { label, probabilities } = runtime.predictSync(handles[member]!, text);
      return { label: label as number, probability: (probabilities as readonly number[])[1]! };
    },
    async close() {
      await runtime.close();
      for (const plan of plans) plan.release();
      flour.dispose();
    },
  };
}
