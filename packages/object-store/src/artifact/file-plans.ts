import type { CompiledPlan, ParameterId, PhysicalStage } from '@brezel/core';
import { storeError } from '../errors.js';
import { decodeProgram, decodeStage, type StageProgram } from './decode-program.js';
import { assemblePlan, checkVersion, decodeForm, decodeShape, type PlanForm, type PlanShape } from './decode-shape.js';
import type { PlacedBlob } from './encode.js';
import type { FileParameters } from './file-parameters.js';
import { type ManifestReader, places } from './manifest-reader.js';
import { ManifestValues } from './manifest-values.js';
import { below } from './table-checks.js';

const { Fleet: fleetFields, Stage: stageFields, Plan: planFields } = places;

/** What others have to say of stages and plans that are decoded. */
export interface PlanChecks {
  /** Checks what only operators know of a stage; called once for all stages of one program over parameters of the same types and shapes. */
  readonly checkStage?: (stage: PhysicalStage, parameter: (id: ParameterId) => PlacedBlob) => void;
  /** Asked for each stage: whether its check may wait, because who asks sees to it. */
  readonly deferStage?: (stage: PhysicalStage) => boolean;
  /** Checks what only operators know of a plan; called whenever one is decoded. Plans of one `form` differ in name and parameters alone. */
  readonly checkPlan?: (plan: CompiledPlan, form: object, parameters: FileParameters) => void;
  /** Gives a stage its key; called once for each that some plan uses. */
  readonly identify?: (stage: PhysicalStage) => PhysicalStage;
}

/** A stage, and the parameters that its steps and kernels need. */
export interface StagePart {
  readonly stage: PhysicalStage;
  /** Number of its program in the file. */
  readonly program: number;
  readonly parameters: readonly ParameterId[];
  /** Numbers of these in the file. */
  readonly numbers: readonly number[];
  /** Whether the file holds a reference to each of them. */
  isAdopted: boolean;
}

/** What plans are made of. */
interface Parts {
  readonly stage: StagePart;
  readonly program: StageProgram;
  readonly shape: PlanShape;
}

/** The plans of an open file. What several are made of is decoded once, when the first needs it. */
export class FilePlans {
  /** As they were packed. */
  readonly names: readonly string[];
  readonly #path: string;
  readonly #manifest: ManifestReader;
  readonly #values: ManifestValues;
  readonly #blobs: readonly PlacedBlob[];
  readonly #parameters: FileParameters;
  readonly #checks: PlanChecks;
  readonly #numbers = new Map<string, number>();
  readonly #parts: { readonly [Kind in keyof Parts]: Map<number, Parts[Kind]> } = {
    stage: new Map(),
    program: new Map(),
    shape: new Map(),
  };
  /** Plans of one form differ in parameters only: what their shape and programs say is checked once. */
  readonly #forms = new Map<string, PlanForm>();
  /** Programs over types and shapes of parameters that were checked. */
  readonly #checked = new Set<string>();
  /** How many plans were decoded; and of each parameter, which of them used it last: a plan lists it once. */
  #decoded = 0;
  readonly #lastUser: Uint32Array;

  /** @throws ERR_STORE_FORMAT */
  constructor(
    path: string,
    manifest: ManifestReader,
    blobs: readonly PlacedBlob[],
    parameters: FileParameters,
    checks: PlanChecks,
  ) {
    this.#path = path;
    this.#manifest = manifest;
    this.#values = new ManifestValues(manifest);
    this.#blobs = blobs;
    this.#lastUser = new Uint32Array(blobs.length);
    this.#parameters = parameters;
    this.#checks = checks;
    this.names = namesOf(manifest);
    for (let number = 0; number < this.names.length; number++) this.#numbers.set(this.names[number]!, number);
    if (this.#numbers.size !== this.names.length)
      throw storeError('ERR_STORE_FORMAT', { received: 'two plans of one name', at: path });
  }

  /** What the manifest says of a plan. @throws ERR_STORE_MISSING */
  table(name: string): number {
    const number = this.#numbers.get(name);
    if (number !== undefined) return this.#tableAt('plans', number);
    const hint = `the file holds ${this.names.slice(0, 5).join(', ')}${this.names.length > 5 ? ', ...' : ''}`;
    throw storeError('ERR_STORE_MISSING', { expected: `a plan "${name}"`, at: this.#path, hint });
  }

  /** Whether every stage runs in the addon, and no output has labels. */
  get runInAddon(): boolean {
    for (let number = 0; number < this.#count('programs'); number++)
      if (this.#program(number).calls === undefined) return false;
    for (let number = 0; number < this.#count('shapes'); number++)
      if (this.#shape(number).outputs.some(({ labels }) => labels !== undefined)) return false;
    return true;
  }

  /** `parts`: where its stages are added. */
  decode(name: string, parts: StagePart[] = []): CompiledPlan {
    const manifest = this.#manifest;
    const plan = this.table(name);
    const at = () => `${this.#path}, plan "${name}"`;
    checkVersion(manifest.uint(plan, planFields.version), at);
    if (name === '') throw storeError('ERR_STORE_FORMAT', { expected: 'a name', received: 'nothing', at: at() });
    const stages: PhysicalStage[] = [];
    const parameters: ParameterId[] = [];
    const plans = ++this.#decoded;
    const shape = manifest.uint(plan, planFields.shape);
    let form = `${shape}:`;
    for (let index = 0, count = manifest.count(plan, planFields.stages); index < count; index++) {
      const part = this.#stage(manifest.uintAt(plan, planFields.stages, index));
      parts.push(part);
      stages.push(part.stage);
      form += ` ${part.program}`;
      for (let one = 0; one < part.numbers.length; one++) {
        const number = part.numbers[one]!;
        if (this.#lastUser[number] === plans) continue;
        this.#lastUser[number] = plans;
        parameters.push(part.parameters[one]!);
      }
    }
    const shared = this.#form(form, shape, stages, at);
    const compiled = assemblePlan(name, shared, stages, parameters);
    this.#checks.checkPlan?.(compiled, shared, this.#parameters);
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
    const manifest = this.#manifest;
    const at = this.#place('stage', number);
    const table = this.#tableAt('stages', number);
    const program = manifest.uint(table, stageFields.program);
    const parameters: ParameterId[] = [];
    const numbers = manifest.uints(table, stageFields.parameters);
    for (let index = 0; index < numbers.length; index++)
      parameters.push(this.#blobs[below(numbers[index]!, this.#blobs.length, at)]!.id);
    const facts = {
      key: manifest.text(table, stageFields.key),
      role: manifest.byte(table, stageFields.role),
      parameters,
    };
    const decoded = decodeStage(facts, this.#program(program), at);
    const isDeferred = this.#checks.deferStage?.(decoded) ?? false;
    if (!isDeferred && this.#checks.checkStage !== undefined) this.#checkStage(decoded, program, parameters);
    const part = { stage: this.#checks.identify?.(decoded) ?? decoded, program, parameters, numbers, isAdopted: false };
    this.#parts.stage.set(number, part);
    return part;
  }

  /** Once for all stages of a program whose parameters have the same types and shapes. */
  #checkStage(stage: PhysicalStage, program: number, parameters: readonly ParameterId[]): void {
    let key = `${program}:`;
    for (let index = 0; index < parameters.length; index++) {
      const id = parameters[index]!;
      key += ` ${id.slice(0, id.indexOf(':'))}`; // type and shape
    }
    if (this.#checked.has(key)) return;
    this.#checks.checkStage!(stage, this.#parameters.info);
    this.#checked.add(key);
  }

  #program(number: number): StageProgram {
    return this.#part('program', number, (table, at) => decodeProgram(this.#values, table, at));
  }

  #shape(number: number): PlanShape {
    return this.#part('shape', number, (table, at) => decodeShape(this.#values, table, at));
  }

  /** Parts of plans are decoded once, when the first plan needs them. */
  #part<Kind extends 'program' | 'shape'>(
    kind: Kind,
    number: number,
    decode: (table: number, at: string) => Parts[Kind],
  ): Parts[Kind] {
    const known = this.#parts[kind].get(number);
    if (known !== undefined) return known;
    const at = this.#place(kind, number);
    const decoded = decode(this.#tableAt(`${kind}s`, number), at);
    this.#parts[kind].set(number, decoded);
    return decoded;
  }

  /** Where a part is, for errors. */
  #place(kind: keyof Parts, number: number): string {
    const count = this.#count(`${kind}s`);
    const at = `${this.#path}, ${kind} ${number}`;
    if (number < count) return at;
    throw storeError('ERR_STORE_FORMAT', { expected: `a ${kind} below ${count}`, received: `${number}`, at });
  }

  #count(list: 'plans' | 'stages' | 'programs' | 'shapes'): number {
    return this.#manifest.count(this.#manifest.root, fleetFields[list]);
  }

  #tableAt(list: 'plans' | 'stages' | 'programs' | 'shapes', number: number): number {
    return this.#manifest.tableAt(this.#manifest.root, fleetFields[list], number);
  }
}

function namesOf(manifest: ManifestReader): string[] {
  const names: string[] = [];
  for (let number = 0, count = manifest.count(manifest.root, fleetFields.plans); number < count; number++)
    names.push(manifest.text(manifest.tableAt(manifest.root, fleetFields.plans, number), planFields.name) ?? '');
  return names;
}
