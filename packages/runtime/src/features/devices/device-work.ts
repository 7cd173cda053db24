import {
  type Block,
  type Clock,
  type DenseBlock,
  dense,
  dtypeOf,
  type NumericDType,
  numericArray,
  type PlannedStage,
  sizeOf,
} from '@brezel/core';
import { inSlices } from '../../execute/slices.js';
import type { Work } from '../../execute/work.js';
import type { Priority } from '../../parallel/executors/scheduling-options.js';
import { SegmentWork } from '../../parallel/executors/segment-work.js';
import { stageNow } from '../../telemetry/stage-now.js';
import type { DeviceCall } from './device-call.js';
import type { DeviceStage } from './device-stage.js';
import { isFiniteRow, nonFiniteRows } from './non-finite-rows.js';

export interface DeviceWorkParts {
  readonly planned: PlannedStage;
  readonly stage: DeviceStage;
  /** The same stage for the CPU, in the addon or in JavaScript. */
  readonly cpu: Work;
  readonly isAsked: boolean;
  readonly priority: Priority;
  readonly clock: Clock;
  /**
   * The index of the clock that measures the stage on the device. The clock with the index of the
   * stage measures the CPU.
   */
  readonly clockPlace: number;
}

/** Runs a stage on a device, or on the CPU if the CPU is faster or the device fails. */
export class DeviceWork implements Work {
  readonly #parts: DeviceWorkParts;

  constructor(parts: DeviceWorkParts) {
    this.#parts = parts;
  }

  run(...call: Parameters<Work['run']>): void {
    this.#parts.cpu.run(...call);
  }

  async runLater(slots: Block[], rows: number, first: number, call: DeviceCall): Promise<void> {
    const { planned, stage, isAsked, priority, clockPlace } = this.#parts;
    const inputs = planned.inputs.map((slot) => slots[slot] as DenseBlock<'float32'>);
    const { signal, remainingMs = Number.POSITIVE_INFINITY, nanoseconds } = call;
    const start = nanoseconds && stageNow();
    const answer = stage.run({ inputs, rows, isAsked, priority, remainingMs, signal });
    call.announced?.at(stage);
    const answered = await answer;
    const outputs = answered ?? (await this.#onCpu(inputs, rows, first, call));
    if (answered !== undefined) await this.#repair(inputs, answered, rows, { ...call, nanoseconds: undefined });
    if (answered !== undefined && start !== undefined) nanoseconds![clockPlace] = (stageNow() - start) * 1e6;
    planned.outputs.forEach((slot, at) => {
      slots[slot] = outputs[at]!;
    });
  }

  /**
   * Runs rows on the CPU, on executors if they are faster. Otherwise the calling thread runs them
   * in slices.
   */
  async #onCpu(inputs: Dense, rows: number, first: number, call: DeviceCall): Promise<DenseBlock[]> {
    const { planned, cpu } = this.#parts;
    const { stage } = planned;
    const { check, nanoseconds } = call;
    if (cpu instanceof SegmentWork && cpu.runsElsewhere(rows, call))
      return this.#onExecutors(cpu, inputs, rows, first, call);
    const types = [...stage.inputs, ...stage.steps.map(({ type }) => type)];
    const outputs = stage.outputs.map((slot) => {
      const [dtype, size] = [dtypeOf(types[slot]!) as NumericDType, sizeOf(types[slot]!)];
      return dense(dtype, rows, size, numericArray(dtype, rows * size));
    });
    await inSlices(this.#parts.clock, rows, planned.marks.nanosPerRow, (from, to) => {
      check?.(); // the plan may have been removed, and its handle in the addon released
      const piece = this.#cpuBlocks(
        inputs.map((block) => rowsOf(block, from, to)),
        to - from,
        first + from,
        nanoseconds,
        check,
      );
      outputs.forEach(({ values, size }, at) => values.set(piece[at]!.values as never, from * size));
    });
    return outputs;
  }

  async #onExecutors(cpu: SegmentWork, inputs: Dense, rows: number, first: number, call: DeviceCall) {
    const slots = this.#slotsOf(inputs);
    await cpu.runLater(slots, rows, first, call);
    return this.#outputsIn(slots);
  }

  #cpuBlocks(
    inputs: Dense,
    rows: number,
    first: number,
    nanoseconds: Float64Array | undefined,
    check: (() => void) | undefined,
  ): DenseBlock[] {
    const slots = this.#slotsOf(inputs);
    this.#parts.cpu.run(slots, rows, first, nanoseconds, check);
    return this.#outputsIn(slots);
  }

  #slotsOf(inputs: Dense): Block[] {
    const slots: Block[] = [];
    this.#parts.planned.inputs.forEach((slot, at) => {
      slots[slot] = inputs[at]!;
    });
    return slots;
  }

  #outputsIn(slots: readonly Block[]): DenseBlock[] {
    return this.#parts.planned.outputs.map((slot) => slots[slot] as DenseBlock);
  }

  /**
   * Runs rows again on the CPU if the device returned NaN or infinities for them, and replaces
   * their answers.
   */
  async #repair(inputs: Dense, outputs: DenseBlock[], rows: number, call: DeviceCall): Promise<void> {
    const nonFinite = nonFiniteRows(inputs, outputs, rows);
    if (nonFinite.length === 0) return;
    const { stage } = this.#parts;
    const again = await this.#onCpu(
      inputs.map((block) => rowsAt(block, nonFinite)),
      nonFinite.length,
      0,
      call,
    );
    let wrong = 0;
    nonFinite.forEach((row, at) => {
      if (isFiniteRow(again, at) && !isFiniteRow(outputs, row)) wrong += 1;
      again.forEach(({ values, size }, output) =>
        outputs[output]!.values.set(values.subarray(at * size, (at + 1) * size) as never, row * size),
      );
    });
    stage.health.repairedRows += nonFinite.length;
    if (wrong > rows / 2) stage.distrust(wrong);
  }
}

type Dense = readonly DenseBlock<'float32'>[];

const rowsOf = ({ values, size }: DenseBlock<'float32'>, from: number, to: number): DenseBlock<'float32'> =>
  dense('float32', to - from, size, values.subarray(from * size, to * size));

function rowsAt({ values, size }: DenseBlock<'float32'>, rows: readonly number[]): DenseBlock<'float32'> {
  const some = new Float32Array(rows.length * size);
  rows.forEach((row, at) => some.set(values.subarray(row * size, (row + 1) * size), at * size));
  return dense('float32', rows.length, size, some);
}
