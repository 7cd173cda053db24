import type { NativeColumn, RowKernels } from '../native/native-kernels.js';
import {
  inputRoom,
  isBytes,
  kinds,
  OutputColumn,
  roomOf,
  rowsOfBlock,
  type SlotType,
  type WasmPlan,
  writeColumn,
  writeText,
} from './columns.js';
import { type Address, kernelError, type WasmInstance } from './instance.js';

export type StageSource = Parameters<RowKernels['stageCreate']>[0];
export type PlanSource = Parameters<RowKernels['planCreate']>[0];
type Columns = Parameters<RowKernels['predictRows']>[1];

/** The part of a column that holds the bytes of texts. */
const VALUES = 2;

/**
 * The kernels in WebAssembly, with the functions of the addon. The functions throw the same errors
 * as the addon, and give the same bits.
 */
export class WasmKernels implements RowKernels {
  readonly #instance: WasmInstance;
  readonly #stages = new Set<Address>();
  readonly #plans = new Map<Address, WasmPlan>();
  readonly #pairs: { input: Float64Array; output: Float64Array }[] = [];

  constructor(instance: WasmInstance) {
    this.#instance = instance;
  }

  isas(): ['baseline'] {
    return ['baseline'];
  }

  kernels(): string[] {
    const { exports } = this.#instance;
    return Array.from({ length: exports.kernel_count() }, (_, kernel) =>
      this.#instance.text(exports.kernel_name(kernel) >>> 0),
    );
  }

  stageCreate({ slots, instructions, inputs, outputs, parameters }: StageSource): Address {
    const message = this.#instance.message([slots, instructions, inputs, outputs, parameters]);
    const stage = this.#instance.guard(({ stage_create }) => stage_create(message)) >>> 0;
    this.#stages.add(stage);
    return stage;
  }

  stageRelease(stage: Address): void {
    if (!this.#stages.delete(stage)) throw kernelError('HANDLE', 'stale stage handle');
    this.#instance.exports.stage_release(stage);
  }

  planCreate({ stages, wiring, inputs, outputs, maxInputBytes }: PlanSource): Address {
    const instance = this.#instance;
    for (const stage of stages) if (!this.#stages.has(stage)) throw kernelError('HANDLE', 'stale stage handle');
    const message = instance.message([stages, wiring, inputs, outputs]);
    const address = instance.guard(({ plan_create }) => plan_create(message, maxInputBytes)) >>> 0;
    const { exports } = instance;
    const type = exports.message_room(TYPE_BYTES) >>> 0;
    const typeOf = (write: (type: Address) => void): SlotType => {
      write(type);
      const [kind, dtype, size] = instance.words.subarray(type / 4, type / 4 + 3);
      return { kind: kind!, dtype: dtype!, size: size! };
    };
    this.#plans.set(address, {
      address,
      inputs: Array.from(inputs, (_, at) => typeOf((to) => exports.plan_input(address, at, to))),
      outputs: Array.from(outputs, (_, at) => typeOf((to) => exports.plan_output(address, at, to))),
      width: exports.plan_width(address),
      blockRows: exports.plan_block_rows(address),
      maxInputBytes,
      stages: stages.length,
    });
    return address;
  }

  planRelease(plan: Address): void {
    this.#plan(plan);
    this.#plans.delete(plan);
    this.#instance.exports.plan_release(plan);
  }

  predictText(handle: Address, text: string | Uint8Array, out: Float64Array): void {
    const instance = this.#instance;
    const plan = this.#plan(handle);
    if (plan.inputs.length !== 1 || plan.inputs[0]!.kind !== kinds.text || plan.inputs[0]!.size !== 1)
      throw kernelError('ARGUMENT', 'the plan does not have one text input');
    checkOut(out, plan.width);
    const values = inputRoom(instance, plan, 0, VALUES, roomOf(text, plan.maxInputBytes));
    const bytes = writeText(instance, text, values, plan.maxInputBytes);
    instance.checkRefusal(instance.guard(({ run_text }) => run_text(plan.address, bytes)));
    this.#readNumbers(plan, 1, out, 0);
  }

  planNumbers(handle: Address): number[] | undefined {
    const { inputs, outputs } = this.#plan(handle);
    const isNumeric = inputs.every((type) => type.size === 0 || type.kind === kinds.dense);
    if (!isNumeric || outputs.some(({ kind }) => kind === kinds.text)) return undefined;
    return inputs.map(({ size }) => size);
  }

  numbersPin(input: Float64Array, output: Float64Array, earlier?: Float64Array): number {
    const known = this.#pairs.findIndex((pair) => pair.input === earlier);
    const pair = known < 0 ? this.#pairs.length : known;
    this.#pairs[pair] = { input, output };
    return pair;
  }

  predictNumbers(handle: Address, pair: number): void {
    const instance = this.#instance;
    const plan = this.#plan(handle);
    const { input, output } = this.#pairs[pair]!;
    let used = 0;
    for (let at = 0; at < plan.inputs.length; at++) {
      const { size } = plan.inputs[at]!;
      if (size === 0) continue;
      const room = instance.guard(({ number_room }) => number_room(size)) >>> 3;
      const { numbers } = instance;
      for (let element = 0; element < size; element++) numbers[room + element] = input[used + element]!;
      instance.guard(({ input_numbers }) => input_numbers(plan.address, at, size));
      used += size;
    }
    instance.checkRefusal(instance.guard(({ run }) => run(plan.address, 1)));
    this.#readNumbers(plan, 1, output, 0);
  }

  predictRows(handle: Address, columns: Columns, total: number, out: Float64Array): void {
    this.#runBlocks(this.#plan(handle), columns, total, out);
  }

  profileRows(handle: Address, columns: Columns, total: number, out: Float64Array, nanoseconds: Float64Array): void {
    this.#runBlocks(this.#plan(handle), columns, total, out, nanoseconds);
  }

  #runBlocks(plan: WasmPlan, columns: Columns, total: number, out: Float64Array, nanoseconds?: Float64Array): void {
    if (plan.inputs.some(({ kind }) => kind === kinds.sparse) || plan.outputs.some(({ kind }) => kind === kinds.text))
      throw kernelError('ARGUMENT', 'a plan with sparse inputs or text outputs runs with runColumns');
    checkOut(out, total * plan.width);
    for (let first = 0; first < total; ) {
      const rows = this.#takeBlock(plan, columns, first, total);
      this.#run(plan, rows, nanoseconds);
      this.#readNumbers(plan, rows, out, first * plan.width);
      first += rows;
    }
  }

  runColumns(
    handle: Address,
    columns: readonly NativeColumn[],
    total: number,
    nanoseconds?: Float64Array,
  ): NativeColumn[] {
    const instance = this.#instance;
    const plan = this.#plan(handle);
    const outputs = plan.outputs.map((type) => new OutputColumn(type));
    for (let first = 0; first < total; ) {
      const rows = this.#takeBlock(plan, columns, first, total);
      this.#run(plan, rows, nanoseconds);
      outputs.forEach((output, at) => {
        const address = instance.exports.message_room(TYPE_BYTES) >>> 0;
        instance.exports.read_column(plan.address, at, address);
        output.add(instance, address, rows);
      });
      first += rows;
    }
    return outputs.map((output) => output.finish());
  }

  /** Writes the next block of rows into the inputs of a plan. Returns its number of rows. */
  #takeBlock(plan: WasmPlan, columns: readonly NativeColumn[], first: number, total: number): number {
    const rows = rowsOfBlock(plan, columns, first, Math.min(total - first, plan.blockRows));
    const range = { first, rows, total };
    // Texts first: reading them may run JavaScript code that changes the other arrays.
    for (const readsTexts of [true, false])
      for (let input = 0; input < plan.inputs.length; input++)
        if (isBytes(plan.inputs[input]!) === readsTexts)
          writeColumn(this.#instance, plan, input, columns[input]!, range);
    return rows;
  }

  #run(plan: WasmPlan, rows: number, nanoseconds?: Float64Array): void {
    const instance = this.#instance;
    if (nanoseconds === undefined) {
      instance.checkRefusal(instance.guard(({ run }) => run(plan.address, rows)));
      return;
    }
    for (let stage = 0; stage < plan.stages; stage++) {
      const before = performance.now();
      instance.checkRefusal(instance.guard(({ run_stage }) => run_stage(plan.address, stage, rows)));
      nanoseconds[stage] = nanoseconds[stage]! + (performance.now() - before) * 1e6;
    }
  }

  #readNumbers(plan: WasmPlan, rows: number, out: Float64Array, at: number): void {
    const from = this.#instance.guard(({ read_numbers }) => read_numbers(plan.address, rows)) >>> 3;
    const { numbers } = this.#instance;
    const count = rows * plan.width;
    if (count > FEW_NUMBERS) out.set(numbers.subarray(from, from + count), at);
    else for (let index = 0; index < count; index++) out[at + index] = numbers[from + index]!;
  }

  #plan(handle: Address): WasmPlan {
    const found = this.#plans.get(handle);
    if (found === undefined) throw kernelError('HANDLE', 'stale plan handle');
    return found;
  }
}

/** Three numbers of a type or of a column. */
const TYPE_BYTES = 12;
/** Up to this many numbers, a loop copies faster than `set`. */
const FEW_NUMBERS = 32;

function checkOut(out: Float64Array, numbers: number): void {
  if (!(out.length >= numbers)) throw kernelError('ARGUMENT', 'out is too short');
}
