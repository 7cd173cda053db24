import {
  type Block,
  type CompiledPlan,
  dense,
  dtypeOf,
  InternalError,
  type NumericDType,
  type PhysicalStage,
  type SparseBlock,
  sizeOf,
  strings,
} from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import { GREATEST_MAX_INPUT_BYTES, runtimeError } from '../../errors.js';
import type { CatalogStage, KernelTarget } from '../../plans/catalog.js';
import { viewRow } from '../block-rows.js';
import { rowPlace } from '../rows/row-place.js';
import type { NativeColumn, RowKernels } from './native-kernels.js';
import { packDictionaries } from './packed-dictionaries.js';
import { type SegmentOutput as Output, type SegmentChunks, segmentChunks } from './segment-chunks.js';

/**
 * Stages of a plan that run in one call to the kernels, of the addon or in WebAssembly. The
 * segments before and after this segment run in JavaScript.
 */
export class NativeSegment {
  /** Indexes of the stages in the plan. */
  readonly stages: readonly number[];
  readonly #kernels: RowKernels;
  readonly #handle: number;
  readonly #inputs: readonly number[];
  readonly #outputs: readonly Output[];
  readonly #times: Float64Array;
  /**
   * Converts rows of the segment to chunks for executors. Undefined if an input is neither numbers
   * nor texts, or if an output is neither numbers nor labels.
   */
  readonly chunks: SegmentChunks | undefined;

  constructor(
    plan: CompiledPlan,
    stages: readonly number[],
    held: readonly CatalogStage[],
    { kernels }: KernelTarget,
    store: ObjectStore,
  ) {
    const planned = stages.map((at) => plan.stages[at]!);
    const written = planned.flatMap(({ outputs }) => outputs);
    const others = plan.stages.filter((_, at) => !stages.includes(at));
    const wanted = new Set([...others.flatMap(({ inputs }) => inputs), ...plan.outputs.map(({ slot }) => slot)]);
    this.stages = stages;
    this.#kernels = kernels;
    this.#inputs = [...new Set(planned.flatMap(({ inputs }) => inputs))].filter((slot) => !written.includes(slot));
    this.#outputs = planned.flatMap(({ stage, outputs }) =>
      outputs.flatMap((slot, at) => (wanted.has(slot) ? outputOf(stage, stage.outputs[at]!, slot, store) : [])),
    );
    this.#times = new Float64Array(stages.length);
    const indexOf = new Map([...this.#inputs, ...written].map((slot, at) => [slot, at]));
    const places = (slots: readonly number[]) => slots.map((slot) => indexOf.get(slot)!);
    this.#handle = kernels.planCreate({
      stages: stages.map((at) => held[at]!.stageHandle!),
      wiring: Int32Array.from(
        planned.flatMap(({ inputs, outputs }) => [
          inputs.length,
          outputs.length,
          ...places(inputs),
          ...places(outputs),
        ]),
      ),
      inputs: Int32Array.from(this.#inputs, (_, at) => at),
      outputs: Int32Array.from(places(this.#outputs.map(({ slot }) => slot))),
      // The texts of rows were measured at admission; stages may produce longer texts.
      maxInputBytes: GREATEST_MAX_INPUT_BYTES,
    });
    const types = new Map(planned.flatMap(({ stage, inputs }) => inputs.map((slot, at) => [slot, stage.inputs[at]!])));
    const inputs = this.#inputs.map((slot) => ({ slot, type: types.get(slot)! }));
    this.chunks = segmentChunks(this.#handle, inputs, this.#outputs);
  }

  /**
   * Runs the segment. It reads blocks from the slots of the plan and writes blocks into them.
   *
   * @param first index of the block's first row in the request, for error messages
   * @param nanoseconds receives the time of each stage
   */
  run(slots: Block[], rows: number, first: number, nanoseconds?: Float64Array): void {
    const blocks = this.#inputs.map((slot) => slots[slot]!);
    const times = nanoseconds && this.#times.fill(0);
    try {
      const columns = this.#kernels.runColumns(this.#handle, blocks.map(columnOf), rows, times);
      this.#outputs.forEach((output, at) => {
        slots[output.slot] = blockOf(columns[at]!, rows, output);
      });
    } catch (error) {
      throw this.#translated(error, blocks, rows, first);
    }
    this.stages.forEach((stage, at) => {
      if (nanoseconds) nanoseconds[stage] = nanoseconds[stage]! + times![at]!;
    });
  }

  release(): void {
    this.#kernels.planRelease(this.#handle);
  }

  /**
   * Converts an error of the kernels. An error about a row or about memory becomes an error that
   * the caller can fix. Any other error becomes an internal error.
   */
  #translated(cause: unknown, blocks: readonly Block[], rows: number, first: number): Error {
    const { code, message } = cause as { code?: string; message: string };
    if (code === 'ERR_NATIVE_MEMORY') return runtimeError('ERR_RUNTIME_MEMORY', { received: message, cause });
    if (code !== 'ERR_NATIVE_INPUT')
      return new InternalError(`the kernels failed in a segment of a plan: ${message}`, { cause });
    const rejected = Array.from({ length: rows }, (_, row) => row).find((row) => !this.#accepts(blocks, row));
    return runtimeError('ERR_RUNTIME_INPUT', { received: message, ...rowPlace(first + (rejected ?? 0)), cause });
  }

  #accepts(blocks: readonly Block[], row: number): boolean {
    try {
      const alone = blocks.map((block) => columnOf(viewRow(block, row)));
      this.#kernels.runColumns(this.#handle, alone, 1);
      return true;
    } catch {
      return false;
    }
  }
}

function outputOf(stage: PhysicalStage, local: number, slot: number, store: ObjectStore): Output {
  const type = stage.inputs[local] ?? stage.steps[local - stage.inputs.length]!.type;
  return { slot, type, labels: labelsOf(stage, local, store) };
}

/**
 * Returns the strings of a value's labels, or undefined. The addon returns a label as its index in
 * this list.
 */
function labelsOf(stage: PhysicalStage, local: number, store: ObjectStore): readonly string[] | undefined {
  const call = stage.calls!.find(({ output }) => output === local);
  if (call?.kernel === 'alias') return labelsOf(stage, call.inputs[0]!, store);
  if (call?.kernel !== 'lookup') return undefined;
  const table = store.get(stage.steps[local - stage.inputs.length]!.parameters.table!);
  return table.dtype === 'string' ? table.values : undefined;
}

function columnOf(block: Block): NativeColumn {
  if (block.kind === 'sparse') return { offsets: block.offsets, ids: block.ids, values: block.values };
  if (block.kind === 'tokens') throw new InternalError('a segment of the addon received tokens');
  // No limit applies here, because dictionaries of rows were measured at admission.
  if (block.kind === 'dictionary') return packDictionaries(block.values, Number.POSITIVE_INFINITY, 0);
  return block.values;
}

function blockOf(column: NativeColumn, rows: number, { type, labels }: Output): Block {
  const size = sizeOf(type);
  if (type.kind === 'sparse')
    return { ...(column as Pick<SparseBlock, 'offsets' | 'ids' | 'values'>), kind: 'sparse', rows, size };
  if (labels !== undefined) {
    const texts = Array.from(column as Int32Array, (label) => labels[label]!);
    return strings(rows, size, texts);
  }
  if (dtypeOf(type) === 'string') return strings(rows, size, column as string[]);
  return dense(dtypeOf(type) as NumericDType, rows, size, column as never);
}
