import type { Tensor, TensorValue, ValueType } from '@brezel/core';
import type { Runtime } from '@brezel/runtime';
import type { AnyFileModel } from '../model-file.js';
import { type Comparison, compareTensor, compareValues, type Tolerance } from './compare.js';
import { type DataSet, type DataValue, findDataSets, readValue, type ValueKind } from './data-sets.js';
import { testDataError } from './errors.js';
import { answersAsMaps, columnsAsMaps, compareMaps, isMaps } from './maps.js';
import { answersAsTensor, rowsFrom } from './rows.js';

/**
 * The default tolerance of `brezel verify`. `rtol` is the default of the ONNX project's tests; the
 * `atol` of these tests is smaller (1e-7).
 */
export const defaultTolerance: Tolerance = { rtol: 1e-3, atol: 1e-5 };

/** The result of comparing one output of one data set. */
export interface ReplayedOutput extends Comparison {
  readonly set: string;
  readonly output: string;
}

/** The values of a data set by name. An absent value is undefined. */
type DataValues = ReadonlyMap<string, DataValue | undefined>;

/**
 * Runs one model on the inputs of a data set. `inputs` and `outputs` have the order of the model,
 * because the files of a data set are numbered in this order.
 */
interface Replayer {
  readonly inputs: readonly (ValueKind & { readonly name: string; readonly optional?: true })[];
  readonly outputs: readonly (ValueKind & { readonly name: string })[];
  compare(inputs: DataValues, wanted: DataValues): Promise<Map<string, Comparison>>;
  close(): void;
}

/**
 * Runs a model on ONNX test data (`test_data_set_*` with `input_*.pb` and `output_*.pb`) and
 * compares the outputs. The model runs as it was imported: as a row program or over whole tensors.
 *
 * Floats must agree within the tolerance; other values and shapes must be equal. The outputs of row
 * programs from files other than ONNX have no row axis, so their elements are compared in the
 * expected shape. Maps (ZipMap) agree if their values agree; keys may be in any order.
 *
 * @throws ERR_TEST_DATA for a folder without test data for this model; the runtime's errors for
 * inputs that it rejects.
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

/** Reads the values of a data set, and names them after the model's inputs or outputs. */
async function readValues(set: DataSet, what: 'inputs' | 'outputs', ports: Replayer['outputs']) {
  const values = new Map<string, DataValue | undefined>();
  for (const [number, path] of set[what]) {
    const port = ports[number];
    if (port === undefined) {
      throw testDataError('ERR_TEST_DATA', {
        expected: `${ports.length} ${what}`,
        received: `a file with number ${number}`,
        at: path,
      });
    }
    values.set(port.name, await readValue(path, port));
  }
  return values;
}

function byTensors(
  { program, labels }: AnyFileModel & { kind: 'tensor' },
  runtime: Runtime,
  tolerance: Tolerance,
): Replayer {
  const registered = runtime.registerTensors(program);
  const portOf = <P extends ValueKind & { readonly name: string }>(port: P) =>
    labels[port.name] === undefined ? port : { name: port.name, kind: 'sequence of maps' as const };
  return {
    inputs: registered.inputs,
    outputs: registered.outputs.map(portOf),
    async compare(inputs, wanted) {
      const got = await runtime.predictTensors(registered, Object.fromEntries(inputs) as Record<string, TensorValue>);
      const compared = (name: string, want: DataValue | undefined) =>
        isMaps(want)
          ? compareMaps(columnsAsMaps(got[name] as Tensor, labels[name]!), want, tolerance)
          : compareValues(got[name], want, tolerance);
      return new Map(Array.from(wanted, ([name, want]) => [name, compared(name, want)]));
    },
    close: () => runtime.unregister(registered),
  };
}

function byRows(model: AnyFileModel & { kind: 'row' }, runtime: Runtime, tolerance: Tolerance): Replayer {
  const { program, declaredOutputs, outputLayouts = {} } = model;
  const plan = program.plan();
  try {
    const registered = runtime.register(plan);
    const elements = new Map(declaredOutputs?.map(({ name, element }) => [name, element]));
    return {
      inputs: registered.inputs.map(({ name, type, unused }) => ({
        name,
        kind: type.kind === 'dictionary' ? 'map' : 'tensor',
        ...(unused && { optional: true as const }),
      })),
      outputs: registered.outputs.map(({ name, type }) => ({
        name,
        kind: hasNames(type) ? 'sequence of maps' : 'tensor',
        element: elements.get(name),
      })),
      async compare(inputs, wanted) {
        const answers = await runtime.predictBatch(registered, rowsFrom(inputs));
        const compared = (name: string, want: DataValue | undefined) =>
          isMaps(want)
            ? compareMaps(answersAsMaps(answers, name), want, tolerance)
            : compareTensor(
                answersAsTensor(answers, name, (want as Tensor).shape, outputLayouts[name]),
                want as Tensor,
                tolerance,
              );
        return new Map(Array.from(wanted, ([name, want]) => [name, compared(name, want)]));
      },
      close: () => runtime.unregister(registered),
    };
  } finally {
    plan.release();
  }
}

const hasNames = ({ kind }: ValueType) => kind === 'map' || kind === 'dictionary';
