import {
  type Block,
  type CompiledPlan,
  dense,
  dtypeOf,
  type ErrorDetails,
  type InputPort,
  type KernelCall,
  type KernelTable,
  type NumericDType,
  numericArray,
  type PhysicalStage,
  type PlannedStage,
  sizeOf,
  strings,
} from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import type { Column } from '../admission.js';
import { runtimeError, TOO_LONG_HINT } from '../errors.js';

/** How steps are run: all by their reference, or by a fast kernel where there is one. */
export type JavaScriptMode = 'reference' | 'fallback';

/** One kernel of a stage, with its parameters at hand. */
interface PreparedCall {
  readonly output: number;
  run(local: readonly Block[], rows: number): Block;
}

interface PreparedStage {
  readonly planned: PlannedStage;
  readonly calls: readonly PreparedCall[];
}

/**
 * A compiled plan made ready to be interpreted in JavaScript. `reference` is the definition of the plan's answer; `fallback` is what runs where
 * no addon loads, with the same bits. Parameters are read once, when it is made, and held as long as it is.
 */
export class JavaScriptPlan {
  readonly #inputs: readonly InputPort[];
  readonly #outputs: CompiledPlan['outputs'];
  readonly #stages: readonly PreparedStage[];
  readonly #maxInputBytes: number;

  constructor(
    plan: CompiledPlan,
    mode: JavaScriptMode,
    kernels: KernelTable,
    store: ObjectStore,
    maxInputBytes: number,
  ) {
    this.#inputs = plan.inputs;
    this.#outputs = plan.outputs;
    this.#maxInputBytes = maxInputBytes;
    this.#stages = plan.stages.map((planned) => ({
      planned,
      calls: prepareStage(planned.stage, mode, kernels, store),
    }));
  }

  /** Runs a block of rows. @returns one block an output of the plan, in order. */
  run(columns: readonly Column[], rows: number): Block[] {
    const slots: Block[] = this.#inputs.map((port, at) => inputBlock(port, columns[at]!, rows, this.#maxInputBytes));
    for (const { planned, calls } of this.#stages) {
      const { stage, inputs, outputs } = planned;
      const local: Block[] = inputs.map((slot) => slots[slot]!);
      for (const call of calls) local[call.output] = call.run(local, rows);
      for (let at = 0; at < outputs.length; at++) slots[outputs[at]!] = local[stage.outputs[at]!]!;
    }
    return this.#outputs.map((port) => slots[port.slot]!);
  }
}

function prepareStage(
  stage: PhysicalStage,
  mode: JavaScriptMode,
  kernels: KernelTable,
  store: ObjectStore,
): PreparedCall[] {
  const step = (index: number) => prepareStep(stage, index, kernels, store);
  if (mode === 'reference' || stage.calls === undefined) return stage.steps.map((_, index) => step(index));
  return stage.calls.flatMap((call) => prepareFast(stage, call, kernels, store) ?? call.steps.map(step));
}

function prepareStep(stage: PhysicalStage, index: number, kernels: KernelTable, store: ObjectStore): PreparedCall {
  const { operator, inputs, type, attributes, parameters: ids } = stage.steps[index]!;
  const kernel = kernels.reference[operator]!;
  const types = [...stage.inputs, ...stage.steps.map((one) => one.type)];
  const inputTypes = inputs.map((slot) => types[slot]!);
  const parameters = Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, store.get(id)]));
  return {
    output: stage.inputs.length + index,
    run: (local, rows) =>
      kernel({ rows, inputs: inputs.map((slot) => local[slot]!), inputTypes, type, attributes, parameters }),
  };
}

function prepareFast(
  stage: PhysicalStage,
  { kernel: name, inputs, output, attributes, parameters: ids }: KernelCall,
  kernels: KernelTable,
  store: ObjectStore,
): PreparedCall | undefined {
  const kernel = kernels.fast[name];
  if (kernel === undefined) return undefined;
  const { type } = stage.steps[output - stage.inputs.length]!;
  const parameters = ids.map((id) => store.bytes(id));
  return {
    output,
    run: (local, rows) => kernel({ rows, inputs: inputs.map((slot) => local[slot]!), type, attributes, parameters }),
  };
}

function inputBlock(port: InputPort, column: Column, rows: number, maxInputBytes: number): Block {
  const size = sizeOf(port.type);
  if (Array.isArray(column)) {
    const values = column.map((value, at) => wellFormed(value, maxInputBytes, Math.floor(at / size)));
    return strings(rows, size, values);
  }
  const dtype = dtypeOf(port.type) as NumericDType;
  const values = numericArray(dtype, column.length);
  column.forEach((value, at) => {
    values[at] = (dtype === 'int64' ? BigInt(value) : value) as never;
  });
  return dense(dtype, rows, size, values);
}

/** Text as every engine sees it: a lone surrogate is U+FFFD, bytes must be UTF-8. */
function wellFormed(value: string | Uint8Array, maxInputBytes: number, row: number): string {
  // A UTF-16 unit takes at most three bytes: short strings need not be counted.
  if (typeof value === 'string' && value.length * 3 <= maxInputBytes) return value.toWellFormed();
  const bytes = typeof value === 'string' ? Buffer.byteLength(value) : value.length;
  const fault = (received: string, details: ErrorDetails) =>
    runtimeError('ERR_RUNTIME_INPUT', { received, at: `row ${row}`, ...details });
  if (bytes > maxInputBytes) {
    throw fault(`text of ${bytes} bytes, longer than maxInputBytes ${maxInputBytes}`, { hint: TOO_LONG_HINT });
  }
  if (typeof value === 'string') return value.toWellFormed();
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value);
  } catch (cause) {
    throw fault('text is not valid UTF-8', { cause });
  }
}
