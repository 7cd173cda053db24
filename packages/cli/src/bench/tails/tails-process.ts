// The process of `brezel bench --tails`. It loads the models, measures each call alone and beside
// busy processes, and sends the times.
import { createFlour, createRuntime } from 'brezel';
import { answerParent } from '../answer-parent.js';
import { loadModel } from '../load-model.js';
import { busyProcesses } from './busy-processes.js';
import { measureTails } from './measure-tails.js';
import { BUSY_PROCESSES, type ModelTails, type TailReport, type TailRequest, type Tails } from './tail-report.js';

async function measure({ models, rows, choices, calls }: TailRequest): Promise<TailReport> {
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store, isolated: true });
  const runs: { readonly model: string; readonly engine: string; readonly run: (call: number) => unknown }[] = [];
  for (const model of models) {
    const { plan, rows: sample } = await loadModel(model, { rows, choices }, flour, runtime);
    const run = (call: number) => runtime.predictSync(plan, sample[call % sample.length]!);
    runs.push({ model, engine: plan.engine, run });
  }
  const idle: Tails[] = [];
  for (const { run } of runs) idle.push(await measureTails(run, calls));
  await using _busy = await busyProcesses(BUSY_PROCESSES);
  const reports: ModelTails[] = [];
  for (const [at, { model, engine, run }] of runs.entries())
    reports.push({ model, engine, idle: idle[at]!, busy: await measureTails(run, calls) });
  return { models: reports };
}

answerParent(measure);
