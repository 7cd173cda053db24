import type { Tensor, TensorValue } from '@brezel/core';
import type { Runtime } from '@brezel/runtime';
import type { AnyFileModel } from '../model-file.js';
import { type Comparison, compareTensor, compareValues, type Tolerance } from './compare.js';
import { type DataSet, findDataSets, readValue, type ValueKind } from './data-sets.js';
import { testDataError } from './errors.js';
import { answersAsTensor, rowsFrom } from './rows.js';

/** Those of the ONNX project's own tests. */
export const defaultTolerance: Tolerance = { rtol: 1e-3, atol: 1e-5 };

/** How one output of one data set compares with what it should be. */
export interface ReplayedOutput extends Comparison {
  readonly set: string;
  readonly output: string;
}

/** Values of a data set by name; undefined where one is absent. */
type DataValues = ReadonlyMap<string, TensorValue | undefined>;

/** Answers a request in the order of inputs and outputs. */
interface Replayer {
  readonly inputs: readonly (ValueKind & { readonly name: string; readonly optional?: true })[];
  readonly outputs: readonly (ValueKind & { readonly name: string })[];
  compare(inputs: DataValues, wanted: DataValues): Promise<Map<string, Comparison>>;
  close(): void;
}

/**
 * Replays ONNX test data (`test_data_set_*` with `input_*.pb` and `output_*.pb`) with a model, by rows or over whole tensors, as it was imported.
 *
 * Floats agree within the tolerance, everything else exactly; shapes exactly. Answers by rows do not tell along which axis the rows lay: there the
 * elements fill the shape.
 * @throws ERR_TEST_DATA for a folder that is no test data of this model; what the runtime throws for inputs it refuses.
 * @example
 * const outputs = await replayTestData(importModel(bytes, flour), runtime, folder);
 * outputs.every(({ agrees }) => agrees);
 */
export async function replayTestData(
  model: AnyFileModel,
  runtime: Runtime,
  folder: string,
  tolerance: Tolerance = defaultTolerance,
): Promise<ReplayedOutput[]> {
  const sets = await findDataSets(folder);
  const replayer = model.kind === 'row' ? byRows(model, runtime, tolerance) : byTensors(model, runtime, tolerance);
  try {
    const replayed: ReplayedOutput[] = [];
    for (const set of sets) replayed.push(...(await replaySet(set, replayer)));
    return replayed;
  } finally {
    replayer.close();
  }
}

async function replaySet(set: DataSet, replayer: Replayer): Promise<ReplayedOutput[]> {
  const inputs = await readValues(set, 'inputs', replayer.inputs);
  const wanted = await readValues(set, 'outputs', replayer.outputs);
  const missing = replayer.inputs.find(({ name, optional }) => !optional && !inputs.has(name));
  if (missing !== undefined)
    throw testDataError('ERR_TEST_DATA', { received: `no input "${missing.name}"`, at: set.folder });
  const compared = await replayer.compare(inputs, wanted);
  return Array.from(compared, ([output, comparison]) => ({ set: set.name, output, ...comparison }));
}

/** Values of a data set under the names of the model. */
async function readValues(set: DataSet, what: 'inputs' | 'outputs', ports: Replayer['outputs']) {
  const values = new Map<string, TensorValue | undefined>();
  for (const [number, path] of set[what]) {
    const port = ports[number];
    if (port === undefined) {
      throw testDataError('ERR_TEST_DATA', {
        expected: `${ports.length} ${what}`,
        received: `number ${number}`,
        at: path,
      });
    }
    values.set(port.name, await readValue(path, port));
  }
  return values;
}

function byTensors({ program }: AnyFileModel & { kind: 'tensor' }, runtime: Runtime, tolerance: Tolerance): Replayer {
  const registered = runtime.registerTensors(program);
  return {
    inputs: registered.inputs,
    outputs: registered.outputs,
    async compare(inputs, wanted) {
      const got = await runtime.predictTensors(registered, Object.fromEntries(inputs));
      return new Map(Array.from(wanted, ([name, want]) => [name, compareValues(got[name], want, tolerance)]));
    },
    close: () => runtime.unregister(registered),
  };
}

function byRows(model: AnyFileModel & { kind: 'row' }, runtime: Runtime, tolerance: Tolerance): Replayer {
  const { program, declaredOutputs } = model;
  const plan = program.plan();
  try {
    const registered = runtime.register(plan);
    const tensor = <P extends { readonly name: string }>({ name }: P) => ({ name, kind: 'tensor' as const });
    return {
      inputs: registered.inputs.map((port) => ({ ...tensor(port), ...(port.unused && { optional: true as const }) })),
      outputs:
        declaredOutputs?.map((port) => ({ ...tensor(port), element: port.element })) ?? registered.outputs.map(tensor),
      async compare(inputs, wanted) {
        const answers = await runtime.predictBatch(registered, rowsFrom(inputs));
        return new Map(
          Array.from(wanted, ([name, want]) => [
            name,
            compareTensor(answersAsTensor(answers, name, (want as Tensor).shape), want as never, tolerance),
          ]),
        );
      },
      close: () => runtime.unregister(registered),
    };
  } finally {
    plan.release();
  }
}
