import { type CompiledPlan, distinct, type ParameterId, type PhysicalStage } from '@brezel/core';
import { storeError } from '../errors.js';
import { decodeProgram, decodeStage, type StageProgram } from './decode-program.js';
import { assemblePlan, checkVersion, decodeForm, decodeShape, type PlanForm, type PlanShape } from './decode-shape.js';
import type { PlacedBlob } from './encode.js';
import type { FileParameters } from './file-parameters.js';
import { Plan } from './generated/plan.js';
import type { Source } from './open-source.js';
import { below } from './table-checks.js';

/** What others have to say of stages and plans that are decoded. */
export interface PlanChecks {
  /** Checks what only operators know of a stage; called once for all stages of one program over parameters of the same types and shapes. */
  readonly checkStage?: (stage: PhysicalStage, parameter: (id: ParameterId) => PlacedBlob) => void;
  /** Checks what only operators know of a plan; called whenever one is decoded. Plans of one `form` differ in name and parameters alone. */
  readonly checkPlan?: (plan: CompiledPlan, form: object, parameters: FileParameters) => void;
  /** Gives a stage its key; called once for each that some plan uses. */
  readonly identify?: (stage: PhysicalStage) => PhysicalStage;
}

type Manifest = Source['manifest'];

/** A stage, and the parameters that its steps and kernels need. */
export interface StagePart {
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

/** The plans of an open file. What several are made of is decoded once, when the first needs it. */
export class FilePlans {
  /** As they were packed. */
  readonly names: readonly string[];
  readonly #path: string;
  readonly #manifest: Manifest;
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

  /** @throws ERR_STORE_FORMAT */
  constructor(
    path: string,
    manifest: Manifest,
    blobs: readonly PlacedBlob[],
    parameters: FileParameters,
    checks: PlanChecks,
  ) {
    this.#path = path;
    this.#manifest = manifest;
    this.#blobs = blobs;
    this.#parameters = parameters;
    this.#checks = checks;
    this.names = namesOf(manifest);
    for (let number = 0; number < this.names.length; number++) this.#numbers.set(this.names[number]!, number);
    if (this.#numbers.size !== this.names.length)
      throw storeError('ERR_STORE_FORMAT', { received: 'two plans of one name', at: path });
  }

  /** What the manifest says of a plan. @throws ERR_STORE_MISSING */
  table(name: string) {
    const number = this.#numbers.get(name);
    if (number !== undefined) return this.#manifest.plans(number)!;
    const hint = `the file holds ${this.names.slice(0, 5).join(', ')}${this.names.length > 5 ? ', ...' : ''}`;
    throw storeError('ERR_STORE_MISSING', { expected: `a plan "${name}"`, at: this.#path, hint });
  }

  /** Whether every stage runs in the addon, and no output has labels. */
  get runInAddon(): boolean {
    const manifest = this.#manifest;
    for (let number = 0; number < manifest.programsLength(); number++)
      if (this.#program(number).calls === undefined) return false;
    for (let number = 0; number < manifest.shapesLength(); number++)
      if (this.#shape(number).outputs.some(({ labels }) => labels !== undefined)) return false;
    return true;
  }

  /** `parts`: where its stages are added. */
  decode(name: string, parts: StagePart[] = []): CompiledPlan {
    const plan = this.table(name);
    const at = () => `${this.#path}, plan "${name}"`;
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
    const at = this.#place('stage', number, manifest.stagesLength());
    const table = manifest.stages(number)!;
    const program = table.program();
    const parameters: ParameterId[] = [];
    let key = `${program}:`;
    for (let index = 0, count = table.parametersLength(); index < count; index++) {
      const blob = table.parameters(index)!;
      const id = this.#blobs[below(blob, this.#blobs.length, at)]!.id;
      key += ` ${id.slice(0, id.indexOf(':'))}`; // type and shape
      parameters.push(id);
    }
    const decoded = decodeStage({ key: table.key(), role: table.role(), parameters }, this.#program(program), at);
    if (!this.#checked.has(key)) {
      this.#checks.checkStage?.(decoded, this.#parameters.info);
      this.#checked.add(key);
    }
    const part = { stage: this.#checks.identify?.(decoded) ?? decoded, program, parameters, isAdopted: false };
    this.#parts.stage.set(number, part);
    return part;
  }

  #program(number: number): StageProgram {
    const manifest = this.#manifest;
    return this.#part('program', number, manifest.programsLength(), (at) =>
      decodeProgram(manifest.programs(number)!.unpack(), at),
    );
  }

  #shape(number: number): PlanShape {
    const manifest = this.#manifest;
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
    const at = `${this.#path}, ${kind} ${number}`;
    if (number < count) return at;
    throw storeError('ERR_STORE_FORMAT', { expected: `a ${kind} below ${count}`, received: `${number}`, at });
  }
}

function namesOf(manifest: Source['manifest']): string[] {
  const plan = new Plan();
  const names: string[] = [];
  for (let number = 0, count = manifest.plansLength(); number < count; number++)
    names.push(manifest.plans(number, plan)!.name() ?? '');
  return names;
}
