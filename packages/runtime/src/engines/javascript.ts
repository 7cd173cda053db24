import {
  type Block,
  type CompiledPlan,
  dense,
  dtypeOf,
  type ErrorDetails,
  type FastKernel,
  type InputPort,
  type KernelCall,
  type KernelTable,
  type NumericDType,
  numericArray,
  type PhysicalStage,
  type Step,
  sizeOf,
  strings,
} from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import type { Column } from '../admission.js';
import { runtimeError, TOO_LONG_HINT } from '../errors.js';

/** How steps are run: all by their reference, or by a fast kernel where there is one. */
export type JavaScriptMode = 'reference' | 'fallback';

/**
 * Interprets a compiled plan in JavaScript over a block of rows. `reference` is the definition of the plan's answer; `fallback` is what runs where
 * no addon loads, with the same bits.
 *
 * @returns one block an output, in order.
 */
export function runInJavaScript(
  plan: CompiledPlan,
  columns: readonly Column[],
  rows: number,
  mode: JavaScriptMode,
  kernels: KernelTable,
  store: ObjectStore,
  maxInputBytes: number,
): Block[] {
  const slots: Block[] = plan.inputs.map((port, at) => inputBlock(port, columns[at]!, rows, maxInputBytes));
  for (const { stage, inputs, outputs } of plan.stages) {
    const local: Block[] = inputs.map((slot) => slots[slot]!);
    if (mode === 'fallback' && stage.calls !== undefined) runCalls(stage, stage.calls, local, rows, kernels, store);
    else stage.steps.forEach((_, step) => runStep(stage, step, local, rows, kernels, store));
    stage.outputs.forEach((slot, at) => {
      slots[outputs[at]!] = local[slot]!;
    });
  }
  return plan.outputs.map((port) => slots[port.slot]!);
}

function inputBlock(port: InputPort, column: Column, rows: number, maxInputBytes: number): Block {
  const size = sizeOf(port.type);
  if (Array.isArray(column))
    return strings(
      rows,
      size,
      column.map((value, at) => wellFormed(value, maxInputBytes, Math.floor(at / size))),
    );
  const dtype = dtypeOf(port.type) as NumericDType;
  const values = numericArray(dtype, column.length);
  column.forEach((value, at) => {
    values[at] = (dtype === 'int64' ? BigInt(value) : value) as never;
  });
  return dense(dtype, rows, size, values);
}

/** Text as every engine sees it: a lone surrogate is U+FFFD, bytes must be UTF-8. */
function wellFormed(value: string | Uint8Array, maxInputBytes: number, row: number): string {
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

function runStep(
  stage: PhysicalStage,
  index: number,
  local: Block[],
  rows: number,
  kernels: KernelTable,
  store: ObjectStore,
): void {
  const step: Step = stage.steps[index]!;
  const types = [...stage.inputs, ...stage.steps.map((one) => one.type)];
  const parameters = Object.entries(step.parameters).map(([name, id]) => [name, store.get(id)] as const);
  local[stage.inputs.length + index] = kernels.reference[step.operator]!({
    rows,
    inputs: step.inputs.map((slot) => local[slot]!),
    inputTypes: step.inputs.map((slot) => types[slot]!),
    type: step.type,
    attributes: step.attributes,
    parameters: Object.fromEntries(parameters),
  });
}

function runCalls(
  stage: PhysicalStage,
  calls: readonly KernelCall[],
  local: Block[],
  rows: number,
  kernels: KernelTable,
  store: ObjectStore,
): void {
  for (const call of calls) {
    const fast: FastKernel | undefined = kernels.fast[call.kernel];
    if (fast === undefined) {
      for (const step of call.steps) runStep(stage, step, local, rows, kernels, store);
      continue;
    }
    local[call.output] = fast({
      rows,
      inputs: call.inputs.map((slot) => local[slot]!),
      type: stage.steps[call.output - stage.inputs.length]!.type,
      attributes: call.attributes,
      parameters: call.parameters.map((id) => store.bytes(id)),
    });
  }
}
