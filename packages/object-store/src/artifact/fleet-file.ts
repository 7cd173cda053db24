import { setImmediate } from 'node:timers/promises';
import {
  type CompiledPlan,
  distinct,
  type OwnedPlan,
  type ParameterId,
  type ParameterValue,
  type PhysicalStage,
} from '@brezel/core';
import { storeError } from '../errors.js';
import type { FileBytes } from '../memory.js';
import { ownPlan } from '../own-plan.js';
import type { ObjectStore } from '../store.js';
import {
  assemblePlan,
  below,
  checkVersion,
  decodeForm,
  decodeGolden,
  decodeProgram,
  decodeShape,
  decodeStage,
  type PlanForm,
  type PlanShape,
  type StageProgram,
} from './decode.js';
import { decodeBlobs } from './decode-blobs.js';
import { checksumOf, type Golden, type PlacedBlob } from './encode.js';
import { Golden as GoldenRows } from './generated/golden.js';
import { Plan } from './generated/plan.js';
import { type FileHeader, HEADER_BYTES } from './layout.js';
import { ManifestBytes } from './manifest-bytes.js';
import { openSource, type Source } from './open-source.js';
import { validateManifest } from './validate.js';

export interface FleetFileOptions {
  /**
   * Checks every byte against the checksums, and what the file says of each plan. Default true. Without, the header and the manifest are checked
   * and memory stays safe, but parameters are taken as they are: for files that were verified before.
   */
  readonly verify?: boolean;
  /** Reads the whole file at once where it is mapped, so that first predictions need not wait for it. Default false. */
  readonly prefault?: boolean;
  /** Checks what only operators know of a stage; called once for all stages of one program over parameters of the same types and shapes. */
  readonly checkStage?: (stage: PhysicalStage, parameter: (id: ParameterId) => PlacedBlob) => void;
  /** Checks what only operators know of a plan; called whenever one is decoded. Plans of one `form` differ in name and parameters alone. */
  readonly checkPlan?: (plan: CompiledPlan, form: object, parameters: FileParameters) => void;
  /** Gives a stage its key; called once for each that some plan uses. */
  readonly identify?: (stage: PhysicalStage) => PhysicalStage;
}

/** What a file is made of: numbers of its parts, and bytes. The rest of its bytes are the header and zeros. */
export interface FleetContents {
  readonly plans: number;
  /** Distinct ones, as are programs (stages without their parameters) and shapes (inputs, outputs and wiring). */
  readonly stages: number;
  readonly programs: number;
  readonly shapes: number;
  readonly parameters: number;
  readonly parameterBytes: number;
  /** Everything but parameters: plans, statistics, golden rows. */
  readonly manifestBytes: number;
}

/** Parameters of a file that nobody holds yet. */
export interface FileParameters {
  info(id: ParameterId): PlacedBlob;
  /** Read for this, and let go at once. */
  value(id: ParameterId): ParameterValue;
}

/** Bytes that are checked before the event loop gets its turn. */
const VERIFIED_AT_ONCE = 4 << 20;

/** A stage, and the parameters that its steps and kernels need. */
interface StagePart {
  readonly stage: PhysicalStage;
  /** Number of its program in the file. */
  readonly program: number;
  readonly parameters: readonly ParameterId[];
  /** Whether the file holds a reference to each of them. */
  isAdopted: boolean;
}

/** What plans are made of. */
interface Parts {
  readonly stage: StagePart;
  readonly program: StageProgram;
  readonly shape: PlanShape;
}

/**
 * An open fleet file. A plan is decoded when it is asked for; its parameters are used where they lie in the mapped file, and stay as long as a
 * plan or a runtime holds them, also after `close`.
 */
export class FleetFile {
  readonly path: string;
  /** Size of the file. */
  readonly bytes: number;
  /** Name and version of who wrote it. */
  readonly producer: string;
  /** Names of the plans, as they were packed. */
  readonly names: readonly string[];
  /** Parameters in the order of the file. */
  readonly blobs: readonly PlacedBlob[];
  readonly contents: FleetContents;
  readonly #store: ObjectStore;
  readonly #options: FleetFileOptions;
  readonly #numbers = new Map<string, number>();
  readonly #blobsById = new Map<ParameterId, PlacedBlob>();
  readonly #parts: { readonly [Kind in keyof Parts]: Map<number, Parts[Kind]> } = {
    stage: new Map(),
    program: new Map(),
    shape: new Map(),
  };
  /** Plans of one form differ in parameters only: what their shape and programs say is checked once. */
  readonly #forms = new Map<string, PlanForm>();
  /** Programs over types and shapes of parameters that were checked. */
  readonly #checked = new Set<string>();
  /** Parameters that some plan asked for: the file holds one reference to each. */
  readonly #adopted = new Set<ParameterId>();
  #source: Source | undefined;
  readonly #parameters: FileParameters = {
    info: (id) => this.#blobsById.get(id)!,
    value: (id) => this.#read(id),
  };

  private constructor(path: string, header: FileHeader, source: Source, store: ObjectStore, options: FleetFileOptions) {
    const { manifest } = source;
    this.path = path;
    this.bytes = header.totalBytes;
    this.producer = manifest.producer() ?? '';
    this.blobs = decodeBlobs(manifest, header.manifestOffset, path);
    this.names = namesOf(manifest);
    for (let number = 0; number < this.names.length; number++) this.#numbers.set(this.names[number]!, number);
    if (this.#numbers.size !== this.names.length)
      throw storeError('ERR_STORE_FORMAT', { received: 'two plans of one name', at: path });
    for (let number = 0; number < this.blobs.length; number++)
      this.#blobsById.set(this.blobs[number]!.id, this.blobs[number]!);
    if (this.#blobsById.size !== this.blobs.length)
      throw storeError('ERR_STORE_FORMAT', { received: 'a parameter twice', at: path });
    this.contents = {
      plans: this.names.length,
      stages: manifest.stagesLength(),
      programs: manifest.programsLength(),
      shapes: manifest.shapesLength(),
      parameters: this.blobs.length,
      parameterBytes: this.blobs.reduce((sum, blob) => sum + blob.bytes, 0),
      manifestBytes: header.manifestBytes,
    };
    this.#store = store;
    this.#options = options;
    this.#source = source;
  }

  /**
   * Opens a file and checks it. After an error nothing stays open or mapped, and the store is as before.
   *
   * @throws ERR_STORE_FILE, ERR_STORE_FORMAT, ERR_STORE_VERSION, ERR_STORE_DAMAGED.
   */
  static async open(path: string, store: ObjectStore, options: FleetFileOptions = {}): Promise<FleetFile> {
    const source = openSource(path, store, options.prefault ?? false);
    try {
      const file = new FleetFile(path, source.header, source, store, options);
      if (options.verify ?? true) {
        await file.#verify(source.bytes, source.header.manifestOffset);
        for (const name of file.names) file.#decode(name);
      }
      return file;
    } catch (error) {
      source.close();
      throw error;
    }
  }

  /**
   * A plan of the file, holding one reference to each of its parameters until it is released.
   *
   * @throws ERR_STORE_MISSING when there is no plan of this name; ERR_STORE_FORMAT when the plan does not hold together.
   */
  plan(name: string): OwnedPlan {
    const { bytes } = this.#open();
    const parts: StagePart[] = [];
    const compiled = this.#decode(name, parts);
    for (let at = 0; at < parts.length; at++) if (!parts[at]!.isAdopted) this.#adoptStage(parts[at]!, bytes);
    return ownPlan(compiled, this.#store);
  }

  /** The rows that were packed with a plan, and its answers. */
  golden(name: string): Golden | undefined {
    const bytes = this.#table(name).goldenArray();
    if (bytes === null || bytes.length === 0) return undefined;
    const at = `${this.path}, golden rows of plan "${name}"`;
    validateManifest(bytes, at, 'Golden');
    const golden = GoldenRows.getRootAsGolden(new ManifestBytes(bytes)).unpack();
    return decodeGolden(golden, this.#decode(name), at);
  }

  /** The statistics that were packed with a plan, as they were given. */
  statistics(name: string): unknown {
    const text = this.#table(name).statistics();
    if (text === null) return undefined;
    try {
      return JSON.parse(text);
    } catch (cause) {
      const at = `${this.path}, statistics of plan "${name}"`;
      throw storeError('ERR_STORE_FORMAT', { expected: 'JSON', received: 'other text', at, cause });
    }
  }

  /** What the file says of a plan, without its parameters. */
  describe(name: string): CompiledPlan {
    return this.#decode(name);
  }

  /**
   * Whether nothing of it asks for the definition of an operator: every stage runs in the addon, and no output has labels that a table must be compared with.
   * Cost: programs and shapes are decoded, of which a family has a few.
   *
   * @throws ERR_STORE_FORMAT
   */
  get runsInAddon(): boolean {
    const { manifest } = this.#open();
    for (let number = 0; number < manifest.programsLength(); number++)
      if (this.#program(number).calls === undefined) return false;
    for (let number = 0; number < manifest.shapesLength(); number++)
      if (this.#shape(number).outputs.some(({ labels }) => labels !== undefined)) return false;
    return true;
  }

  /** Lets the file go. Plans that were taken from it stay usable. */
  close(): void {
    const source = this.#source;
    if (source === undefined) return;
    this.#source = undefined;
    for (const id of this.#adopted) this.#store.release(id);
    this.#adopted.clear();
    for (const parts of Object.values(this.#parts)) parts.clear();
    this.#forms.clear();
    source.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #open(): Source {
    if (this.#source === undefined) throw storeError('ERR_STORE_CLOSED', { at: this.path });
    return this.#source;
  }

  #table(name: string) {
    const { manifest } = this.#open();
    const number = this.#numbers.get(name);
    if (number !== undefined) return manifest.plans(number)!;
    const hint = `the file holds ${this.names.slice(0, 5).join(', ')}${this.names.length > 5 ? ', ...' : ''}`;
    throw storeError('ERR_STORE_MISSING', { expected: `a plan "${name}"`, at: this.path, hint });
  }

  /** `parts`: where its stages are added. */
  #decode(name: string, parts: StagePart[] = []): CompiledPlan {
    const plan = this.#table(name);
    const at = () => `${this.path}, plan "${name}"`;
    checkVersion(plan.version(), at);
    if (name === '') throw storeError('ERR_STORE_FORMAT', { expected: 'a name', received: 'nothing', at: at() });
    const stages: PhysicalStage[] = [];
    const parameters: ParameterId[] = [];
    let form = `${plan.shape()}:`;
    for (let index = 0, count = plan.stagesLength(); index < count; index++) {
      const part = this.#stage(plan.stages(index)!);
      parts.push(part);
      stages.push(part.stage);
      form += ` ${part.program}`;
      for (let one = 0; one < part.parameters.length; one++) parameters.push(part.parameters[one]!);
    }
    const shared = this.#form(form, plan.shape(), stages, at);
    const compiled = assemblePlan(name, shared, stages, distinct(parameters));
    this.#options.checkPlan?.(compiled, shared, this.#parameters);
    return compiled;
  }

  #form(key: string, shape: number, stages: readonly PhysicalStage[], at: () => string): PlanForm {
    let form = this.#forms.get(key);
    if (form === undefined) {
      form = decodeForm(this.#shape(shape), stages, at());
      this.#forms.set(key, form);
    }
    return form;
  }

  #stage(number: number): StagePart {
    return this.#parts.stage.get(number) ?? this.#decodeStage(number);
  }

  #decodeStage(number: number): StagePart {
    const { manifest } = this.#open();
    const at = this.#place('stage', number, manifest.stagesLength());
    const table = manifest.stages(number)!;
    const program = table.program();
    const parameters: ParameterId[] = [];
    let key = `${program}:`;
    for (let index = 0, count = table.parametersLength(); index < count; index++) {
      const blob = table.parameters(index)!;
      const id = this.blobs[below(blob, this.blobs.length, at)]!.id;
      key += ` ${id.slice(0, id.indexOf(':'))}`; // type and shape
      parameters.push(id);
    }
    const decoded = decodeStage({ key: table.key(), role: table.role(), parameters }, this.#program(program), at);
    if (!this.#checked.has(key)) {
      this.#options.checkStage?.(decoded, this.#parameters.info);
      this.#checked.add(key);
    }
    const part = { stage: this.#options.identify?.(decoded) ?? decoded, program, parameters, isAdopted: false };
    this.#parts.stage.set(number, part);
    return part;
  }

  #program(number: number): StageProgram {
    const { manifest } = this.#open();
    return this.#part('program', number, manifest.programsLength(), (at) =>
      decodeProgram(manifest.programs(number)!.unpack(), at),
    );
  }

  #shape(number: number): PlanShape {
    const { manifest } = this.#open();
    return this.#part('shape', number, manifest.shapesLength(), (at) =>
      decodeShape(manifest.shapes(number)!.unpack(), at),
    );
  }

  /** Parts of plans are decoded once, when the first plan needs them. */
  #part<Kind extends 'program' | 'shape'>(
    kind: Kind,
    number: number,
    count: number,
    decode: (at: string) => Parts[Kind],
  ): Parts[Kind] {
    const known = this.#parts[kind].get(number);
    if (known !== undefined) return known;
    const decoded = decode(this.#place(kind, number, count));
    this.#parts[kind].set(number, decoded);
    return decoded;
  }

  /** Where a part is, for errors. */
  #place(kind: keyof Parts, number: number, count: number): string {
    const at = `${this.path}, ${kind} ${number}`;
    if (number < count) return at;
    throw storeError('ERR_STORE_FORMAT', { expected: `a ${kind} below ${count}`, received: `${number}`, at });
  }

  #adoptStage(part: StagePart, bytes: FileBytes): void {
    for (let at = 0; at < part.parameters.length; at++) this.#adopt(part.parameters[at]!, bytes);
    part.isAdopted = true;
  }

  #adopt(id: ParameterId, bytes: FileBytes): void {
    if (this.#adopted.has(id)) return;
    this.#take(this.#blobsById.get(id)!, bytes);
    this.#adopted.add(id);
  }

  /** One more reference to a parameter. */
  #take(blob: PlacedBlob, bytes: FileBytes): void {
    try {
      this.#store.adopt(blob, () => bytes.parameter(blob.offset, blob.bytes, blob.id, this.#options.verify ?? true));
    } catch (cause) {
      if ((cause as { code?: string }).code !== 'ERR_NATIVE_PARAMETER') throw cause;
      throw storeError('ERR_STORE_CHECKSUM', { at: `${this.path}, byte ${blob.offset}`, cause });
    }
  }

  #read(id: ParameterId): ParameterValue {
    this.#take(this.#blobsById.get(id)!, this.#open().bytes);
    try {
      return this.#store.get(id);
    } finally {
      this.#store.release(id);
    }
  }

  async #verify(bytes: FileBytes, end: number): Promise<void> {
    let at = HEADER_BYTES;
    let turn = VERIFIED_AT_ONCE;
    const damaged = (received: string, offset: number) =>
      storeError('ERR_STORE_DAMAGED', { received, at: `${this.path}, byte ${offset}` });
    for (const { id, offset, bytes: length } of this.blobs) {
      if (!bytes.isZero(at, offset - at)) throw damaged('other bytes than zeros between parameters', at);
      if (bytes.checksum(offset, length) !== checksumOf(id)) throw damaged('a parameter of another checksum', offset);
      at = offset + length;
      turn -= length;
      if (turn > 0) continue;
      turn = VERIFIED_AT_ONCE;
      await setImmediate();
    }
    if (!bytes.isZero(at, end - at)) throw damaged('other bytes than zeros behind the parameters', at);
  }
}

function namesOf(manifest: Source['manifest']): string[] {
  const plan = new Plan();
  const names: string[] = [];
  for (let number = 0, count = manifest.plansLength(); number < count; number++)
    names.push(manifest.plans(number, plan)!.name() ?? '');
  return names;
}
