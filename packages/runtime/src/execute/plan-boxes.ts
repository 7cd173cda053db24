import {
  type Backend,
  type BackendFormat,
  type BackendModel,
  type BackendOptions,
  type BackendPort,
  type BackendStage,
  type BackendTensor,
  BLACK_BOX,
  type Block,
  backendError,
  blackBoxBytes,
  type CompiledPlan,
  type DType,
  dense,
  type ErrorDetails,
  elementCount,
  type NumericArray,
  type NumericDType,
  type NumericTensor,
  numericArray,
  type PhysicalStage,
  printPort,
  type StagePlacement,
  sizeOf,
  strings,
  type ValueType,
} from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import type { OpenBox } from '../features/devices/box-devices.js';

type Step = PhysicalStage['steps'][number];

const stepsOf = ({ stages }: CompiledPlan): Step[] =>
  stages.flatMap(({ stage }) => stage.steps.filter(({ operator }) => operator === BLACK_BOX));

/**
 * The black boxes of a plan. They are opened when the plan is registered, and closed when it is
 * unregistered.
 */
export class PlanBoxes {
  readonly #boxes: ReadonlyMap<Step, PlanBox>;

  static has(plan: CompiledPlan): boolean {
    return stepsOf(plan).length > 0;
  }

  /** @throws ERR_BACKEND_MISSING when no backend supports a black box. */
  constructor(
    plan: CompiledPlan,
    backends: readonly Backend[],
    store: ObjectStore,
    options: BackendOptions,
    openBox: OpenBox,
  ) {
    const open = (step: Step) => {
      const backend = backendFor(step, backends, plan.name);
      return () => openBox(backend, modelOf(step, plan.name, store), options);
    };
    // Find all backends before the first model is opened.
    const opening = stepsOf(plan).map((step) => [step, open(step)] as const);
    this.#boxes = new Map(opening.map(([step, open]) => [step, new PlanBox(plan.name, step, open)]));
  }

  of(step: Step): PlanBox | undefined {
    return this.#boxes.get(step);
  }

  /**
   * Returns the device on which the black box of a stage runs a block of `rows` rows. Returns
   * undefined if the stage has no black box.
   */
  placement(stage: PhysicalStage, rows: number): Omit<StagePlacement, 'stage'> | undefined {
    const bytes = blackBoxBytes(stage);
    if (bytes === undefined) return undefined;
    const open = stage.steps.map((step) => this.of(step)?.openStage).find((openStage) => openStage !== undefined);
    if (open === undefined) return { device: 'cpu', transferBytes: 0, why: 'a black box that is not open' };
    const { device, provider } = open;
    return {
      device,
      provider,
      transferBytes: device === 'gpu' ? rows * bytes : 0,
      why: 'a black box: its backend runs it',
    };
  }

  /**
   * Returns the number of blocks that the black boxes of the plan can run at the same time. Returns
   * 1 if a black box is not open yet.
   */
  get concurrency(): number {
    return Math.min(...Array.from(this.#boxes.values(), ({ openStage }) => openStage?.concurrency ?? 1));
  }

  close(): void {
    for (const box of this.#boxes.values()) box.close();
  }
}

const formatOf = ({ attributes }: Step): BackendFormat => (attributes.format as BackendFormat | undefined) ?? 'onnx';

function backendFor(step: Step, backends: readonly Backend[], plan: string): Backend {
  const format = formatOf(step);
  const { path } = step.attributes as { readonly path?: string };
  const model = { format, ...(path !== undefined && { path }) };
  const backend = backends.find(
    (candidate) => candidate.formats.includes(format) && (candidate.serves?.(model) ?? true),
  );
  if (backend !== undefined) return backend;
  throw backendError('ERR_BACKEND_MISSING', { at: `plan ${plan}`, ...missingBackend(format, path) });
}

function missingBackend(format: BackendFormat, path: string | undefined): ErrorDetails {
  if (format === 'onnx') return {};
  if (format === 'external')
    return { expected: `the predictor "${path}"`, hint: 'runtime.registerBackend(predictor) before you register' };
  const hint = 'register tfjsBackend(), with @tensorflow/tfjs installed, and see `brezel doctor`';
  return { expected: `one for ${format}`, hint };
}

function modelOf(step: Step, plan: string, store: ObjectStore): BackendModel {
  const { attributes, parameters } = step;
  const name = `black box of plan ${plan}`;
  const format = formatOf(step);
  if (attributes.path !== undefined) {
    const file = { format, path: attributes.path as string, checksum: attributes.checksum as string, name };
    // A server computes and sends only the requested outputs.
    return format === 'external' && attributes.output !== null
      ? { ...file, outputs: [attributes.output as string] }
      : file;
  }
  const id = parameters.model!;
  const { data } = store.get(id) as { readonly data: Int32Array };
  const bytes = new Uint8Array(data.buffer, data.byteOffset, attributes.bytes as number);
  return { format, bytes, checksum: id, name };
}

/** One black box of a plan, with its stage on a backend. */
class PlanBox {
  readonly #at: string;
  readonly #step: Step;
  readonly #open: () => Promise<BackendStage>;
  #stage: Promise<BackendStage> | undefined;
  #closed = false;
  /** The black box as a stage of its backend. Undefined until the black box is open. */
  openStage: BackendStage | undefined;

  constructor(plan: string, step: Step, open: () => Promise<BackendStage>) {
    this.#at = `black box of plan ${plan}`;
    this.#step = step;
    this.#open = open;
    this.#opened().catch(() => undefined); // the first run reports the error
  }

  /** Opens the model on the backend, once. After a failure, the next call tries again. */
  #opened(): Promise<BackendStage> {
    if (this.#closed) throw backendError('ERR_BACKEND_CLOSED', { at: this.#at });
    if (this.#stage === undefined) {
      const stage = this.#open();
      this.#stage = stage;
      stage.then(
        (open) => {
          this.openStage = open;
        },
        () => {
          if (this.#stage === stage) this.#stage = undefined;
        },
      );
    }
    return this.#stage;
  }

  /**
   * Runs rows through the black box.
   *
   * @throws ERR_BACKEND_MODEL when the inputs or outputs of the model differ from the program; also
   * the errors of the backend.
   */
  async run(inputs: readonly Block[], types: readonly ValueType[], signal: AbortSignal | undefined): Promise<Block> {
    const stage = await this.#opened();
    const { attributes } = this.#step;
    const names = Array.isArray(attributes.input) ? attributes.input : [attributes.input];
    const from = names.map((name) => this.#port(stage.inputs, name, 'input'));
    const { rows } = inputs[0]!;
    const to = this.#port(stage.outputs, attributes.output, 'output');
    const [size, dtype] = [attributes.size as number, attributes.dtype as DType];
    const values = dtype === 'string' ? new Array<string>(rows * size) : numericArray(dtype, rows * size);
    const rowsAtOnce = from.some(({ shape }) => shape?.[0] === 1) ? 1 : Math.max(1, rows);
    for (let row = 0; row < rows; row += rowsAtOnce) {
      const tensors = Object.fromEntries(
        from.map((port, at) => [port.name, tensorOf(inputs[at]!, types[at]!, port, row, rowsAtOnce)]),
      );
      const target = Array.isArray(values) ? undefined : values.subarray(row * size, (row + rowsAtOnce) * size);
      const into = target && { [to.name]: target as NumericTensor['data'] };
      const answer = (await stage.run(tensors, { signal, into }))[to.name]!;
      this.#check(answer, rowsAtOnce * size, dtype, to);
      if (answer.data !== target) put(values, answer.data, row * size);
    }
    return Array.isArray(values) ? strings(rows, size, values) : dense(dtype as NumericDType, rows, size, values);
  }

  #port(ports: readonly BackendPort[], name: unknown, what: string): BackendPort {
    const isOnly = what === 'output' || ports.length === 1;
    const found = name === null ? (isOnly ? ports[0] : undefined) : ports.find((port) => port.name === name);
    if (found !== undefined) return found;
    const received = ports.map((port) => port.name).join(', ') || 'none';
    throw this.#error(name === null ? `one ${what}, or its name` : `${what} "${name}"`, received);
  }

  #check(answer: BackendTensor, count: number, dtype: DType, to: BackendPort): void {
    if ((answer.element === 'float16' ? 'float32' : answer.element) === dtype && elementCount(answer.shape) === count)
      return;
    throw this.#error(
      dtype === 'string' ? `${count} texts` : `${count} numbers of ${dtype}`,
      `${answer.element}[${answer.shape}] as ${printPort(to)}`,
    );
  }

  #error = (expected: string, received: string): Error =>
    backendError('ERR_BACKEND_MODEL', {
      expected,
      received,
      at: this.#at,
      hint: 'correct size, dtype, input or output of blackBox',
    });

  close(): void {
    this.#closed = true;
    this.#stage?.then((stage) => stage.dispose()).catch(() => undefined);
  }
}

/**
 * Copies the output of a backend into `values`. Replaces lone surrogates in texts.
 */
function put(values: NumericArray | string[], data: BackendTensor['data'], at: number): void {
  if (!Array.isArray(values)) return values.set(data as never, at);
  (data as readonly string[]).forEach((text, index) => {
    values[at + index] = text.toWellFormed();
  });
}

/**
 * Converts some rows of a block to a tensor whose first axis counts the rows. A scalar has a second
 * axis of size 1 unless the model declares only one axis. Brezel stores float16 numbers as float32.
 */
function tensorOf(block: Block, type: ValueType, port: BackendPort, row: number, rows: number): BackendTensor {
  const size = sizeOf(type);
  const inner = type.kind === 'tensor' ? type.shape : type.kind === 'vector' || port.shape?.length !== 1 ? [size] : [];
  const shape = [rows, ...inner];
  const [from, to] = [row * size, (row + rows) * size];
  if (block.kind === 'strings') return { element: 'string', shape, data: block.values.slice(from, to) };
  if (block.kind === 'dense') {
    const element = port.element === 'float16' && block.dtype === 'float32' ? 'float16' : block.dtype;
    return { element, shape, data: block.values.subarray(from, to) } as BackendTensor;
  }
  throw backendError('ERR_BACKEND_INPUT', { expected: 'numbers or texts', received: block.kind, at: port.name });
}
