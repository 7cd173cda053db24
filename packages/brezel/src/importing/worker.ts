import { parentPort } from 'node:worker_threads';
import type { CompiledPlan, OwnedPlan } from '@brezel/core';
import type { FlourContext } from '@brezel/flour';
import type { ObjectStore, SharedParameter } from '@brezel/object-store';
import { externalDataIn } from '@brezel/onnx';
import { plainPlan } from '@brezel/runtime';
import { importFile } from '../model-file.js';
import { createFlour, createRuntime, openStore } from '../wire.js';
import { importModules } from '../workers/import-modules.js';
import { importError } from './errors.js';
import type { ImportAnswer, ImportTask, ParameterKind, PlanDescription, ThreadMessage } from './protocol.js';
import { importErrors } from './sent-errors.js';
import { buffersOf, sentValue } from './sent-value.js';

// The code of the worker threads that import and compile models. The parameters of a plan are in
// the addon's memory or in SharedArrayBuffers, so the sending thread uses them without a copy.

/** The plan of the last answer, until the calling thread has taken references to its parameters. */
let sent: OwnedPlan | undefined;

parentPort?.on('message', async (message: ThreadMessage) => {
  sent?.release();
  sent = undefined;
  if (message === 'release') return;
  const answer = await answerImport(message);
  parentPort!.postMessage(answer, 'error' in answer ? [] : buffersOf(answer.description));
});

/** Imports a model file of any format, and compiles its plan. */
async function answerImport(task: ImportTask): Promise<ImportAnswer> {
  try {
    const { store, plan, facts } = await importTask(task);
    sent = plan;
    prepareStages(plan, store);
    const parameters = plan.parameters.map((id) => store.share(id)!);
    const description: PlanDescription = {
      plan: plainPlan(plan),
      facts: task.withFacts ? facts : undefined,
      ...kindsOf(parameters),
    };
    return { description: sentValue(description), shared: parameters.map(({ shared }) => shared) };
  } catch (error) {
    return { error: importErrors.send(error) };
  }
}

/** Returns the distinct element types and shapes of parameters, and the index of each parameter. */
function kindsOf(parameters: readonly SharedParameter[]): Pick<PlanDescription, 'kinds' | 'kindOf'> {
  const kinds: ParameterKind[] = [];
  const indices = new Map<string, number>();
  const kindOf = parameters.map(({ id: _, shared: _shared, ...kind }) => {
    const json = JSON.stringify(kind);
    const index = indices.get(json) ?? kinds.push(kind) - 1;
    indices.set(json, index);
    return index;
  });
  return { kinds, kindOf };
}

async function importTask({ bytes, options, oven, modules, isNativeMemory }: ImportTask) {
  await importOperators(modules);
  const store = await openStore({ native: isNativeMemory });
  using flour: FlourContext = await createFlour({ ...oven, store });
  const { externalFolder, ...rest } = options;
  const { program, ...facts } = importFile(bytes, flour, {
    ...rest,
    ...(externalFolder !== undefined && { externalData: externalDataIn(externalFolder) }),
  });
  return { store, plan: program.plan(), facts };
}

/**
 * Imports the modules that define custom operators.
 *
 * @throws ERR_IMPORT_OPTION
 */
async function importOperators(modules: readonly string[]): Promise<void> {
  try {
    await importModules(modules);
  } catch (cause) {
    throw importError('ERR_IMPORT_OPTION', {
      expected: 'operatorModules that a worker thread can import',
      received: (cause as Error | undefined)?.message ?? String(cause),
      hint: 'check the URLs and the modules: `cause` is the error of the import',
      cause: cause as Error,
    });
  }
}

/**
 * Creates the stages of a plan in the addon and releases them. The addon checks each parameter once
 * in a process, so this thread does that work instead of the calling thread.
 */
function prepareStages(plan: CompiledPlan, store: ObjectStore): void {
  const isNative = plan.stages.every(({ stage }) => stage.calls !== undefined);
  if (!isNative || store.memory.kind !== 'native') return;
  const runtime = createRuntime({ store, isolated: true });
  try {
    runtime.unregister(runtime.register(plan));
  } catch {
    // the runtime that registers the plan reports the error
  } finally {
    void runtime.close();
  }
}
