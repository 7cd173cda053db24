import { type CompiledPlan, indexBelow, type ParameterId, type PhysicalStage, type Step } from '@brezel/core';
import { storeError } from '@brezel/object-store';
import { decodeProgram, decodeStage, type StageProgram } from './decode-program.js';
import { assemblePlan, checkVersion, decodeForm, decodeShape, type PlanForm, type PlanShape } from './decode-shape.js';
import type { PlacedBlob } from './encode.js';
import type { FileBlobs } from './file-blobs.js';
import type { FileParameters } from './file-parameters.js';
import { throwFormatError } from './format-error.js';
import { type ManifestReader, vtableOffsets } from './manifest-reader.js';
import { ManifestValues } from './manifest-values.js';

const { Fleet: fleetFields, Stage: stageFields, Plan: planFields } = vtableOffsets;

/**
 * Functions that check decoded stages and plans. This package does not know the definitions of
 * operators, so the caller of `FleetFile.open` passes these functions.
 */
export interface PlanChecks {
  /**
   * Checks a stage against the definitions of its operators. It is called once for all stages with
   * the same program and the same parameter types and shapes.
   */
  readonly checkStage?: (stage: PhysicalStage, parameter: (id: ParameterId) => PlacedBlob) => void;
  /**
   * Returns true if the caller will check this stage itself. `checkStage` is then not called for
   * the stage.
   */
  readonly deferStage?: (stage: PhysicalStage) => boolean;
  /**
   * Checks a plan against the definitions of its operators, and returns the plan with the
   * properties that follow from its parameters. It is called each time a plan is decoded.
   */
  readonly checkPlan?: (decoded: DecodedPlan, parameters: FileParameters) => CompiledPlan;
  /**
   * Computes the key of a stage and returns the stage with it. It is called once for each stage
   * that a plan uses.
   */
  readonly identify?: (stage: PhysicalStage) => PhysicalStage;
}

/** A decoded plan. */
export interface DecodedPlan {
  readonly plan: CompiledPlan;
  /** Plans with the same `form` object differ only in name and parameters. */
  readonly form: object;
  /** For each parameter of the plan, its index in the file. */
  readonly numbers: readonly number[];
}

/** A decoded stage, with the indices of its program and parameters in the file. */
export interface StagePart {
  readonly stage: PhysicalStage;
  readonly program: number;
  readonly numbers: readonly number[];
}

/** The decoded parts of plans, by kind. */
interface Parts {
  readonly stage: StagePart;
  readonly program: StageProgram;
  readonly shape: PlanShape;
}

/**
 * A `PlanForm` that was already checked, with the indices of the stage programs for which it was
 * checked. Plans with the same shape and programs reuse the form.
 */
interface KnownForm {
  readonly programs: readonly number[];
  readonly form: PlanForm;
}

function formOf(known: readonly KnownForm[], parts: readonly StagePart[]): PlanForm | undefined {
  for (let index = 0; index < known.length; index++) if (isOf(known[index]!, parts)) return known[index]!.form;
  return undefined;
}

function isOf({ programs }: KnownForm, parts: readonly StagePart[]): boolean {
  if (programs.length !== parts.length) return false;
  for (let index = 0; index < parts.length; index++) if (programs[index] !== parts[index]!.program) return false;
  return true;
}

/** For each kind of table, the offset of the list of these tables in the manifest. */
type Lists = Record<'plans' | 'stages' | 'programs' | 'shapes', number>;

/**
 * The plans of an open file. A stage, stage program or shape that several plans share is decoded
 * once, on first use.
 */
export class FilePlans {
  /** Names of the plans in the order in which they were packed. */
  readonly names: readonly string[];
  readonly #path: string;
  readonly #manifest: ManifestReader;
  readonly #values: ManifestValues;
  readonly #blobs: FileBlobs;
  readonly #parameters: FileParameters;
  readonly #checks: PlanChecks;
  readonly #numbers = new Map<string, number>();
  readonly #lists: { readonly [Kind in keyof Lists]: number };
  /**
   * The decoded stages, stage programs and shapes by index. An entry is undefined until its first
   * use.
   */
  readonly #parts: { readonly [Kind in keyof Parts]: (Parts[Kind] | undefined)[] };
  /** For each shape, the forms that were already checked. */
  readonly #forms: KnownForm[][] = [];
  /**
   * The combinations of stage program, parameter types and parameter shapes for which `checkStage`
   * was already called.
   */
  readonly #checked = new Set<string>();
  /**
   * The number of plans decoded so far. `#lastTaker` holds, for each parameter, the number of the
   * last plan that used it. A parameter that two stages of a plan share is thereby listed once.
   */
  #taken = 0;
  readonly #lastTaker: Uint32Array;

  /**
   * Indexes the plans of a manifest.
   *
   * @throws ERR_STORE_FORMAT when two plans have the same name.
   */
  constructor(
    path: string,
    manifest: ManifestReader,
    blobs: FileBlobs,
    parameters: FileParameters,
    checks: PlanChecks,
  ) {
    this.#path = path;
    this.#manifest = manifest;
    this.#values = new ManifestValues(manifest);
    this.#blobs = blobs;
    this.#lastTaker = new Uint32Array(blobs.count);
    this.#parameters = parameters;
    this.#checks = checks;
    const list = (name: keyof Lists) => manifest.list(manifest.root, fleetFields[name]);
    this.#lists = { plans: list('plans'), stages: list('stages'), programs: list('programs'), shapes: list('shapes') };
    const none = (name: keyof Lists) => new Array<undefined>(this.#count(name));
    this.#parts = { stage: none('stages'), program: none('programs'), shape: none('shapes') };
    this.names = this.#names();
    for (let number = 0; number < this.names.length; number++) this.#numbers.set(this.names[number]!, number);
    if (this.#numbers.size !== this.names.length)
      throw storeError('ERR_STORE_FORMAT', { received: 'two plans with the same name', at: path });
  }

  /**
   * Returns the offset of a plan's table in the manifest.
   *
   * @throws ERR_STORE_MISSING
   */
  table(name: string): number {
    const number = this.#numbers.get(name);
    if (number !== undefined) return this.#tableAt('plans', number);
    const hint = `the file holds ${this.names.slice(0, 5).join(', ')}${this.names.length > 5 ? ', ...' : ''}`;
    throw storeError('ERR_STORE_MISSING', { expected: `a plan "${name}"`, at: this.#path, hint });
  }

  /** Whether every stage of every plan runs in the addon, and no output has labels. */
  get runInAddon(): boolean {
    for (let number = 0; number < this.#count('programs'); number++)
      if (this.#program(number).calls === undefined) return false;
    for (let number = 0; number < this.#count('shapes'); number++)
      if (this.#shape(number).outputs.some(({ labels }) => labels !== undefined)) return false;
    return true;
  }

  /**
   * Returns the operators of each stage of a plan, without decoding its stages. Stages with the
   * same program return the same array.
   *
   * @throws ERR_STORE_MISSING, ERR_STORE_VERSION, ERR_STORE_FORMAT
   */
  steps(name: string): readonly (readonly Omit<Step, 'parameters'>[])[] {
    const manifest = this.#manifest;
    const table = this.table(name);
    checkVersion(manifest.uint(table, planFields.version), () => `${this.#path}, plan "${name}"`);
    const steps: (readonly Omit<Step, 'parameters'>[])[] = new Array(manifest.count(table, planFields.stages));
    for (let index = 0; index < steps.length; index++) {
      const stage = manifest.uintAt(table, planFields.stages, index);
      this.#checkNumber('stage', stage);
      steps[index] = this.#program(manifest.uint(this.#tableAt('stages', stage), stageFields.program)).steps;
    }
    return steps;
  }

  /** Decodes a plan without taking references to its parameters. */
  decode(name: string): CompiledPlan {
    return this.take(name).plan;
  }

  /** Decodes a plan. Returns the plan and the indices of its parameters. */
  take(name: string): { readonly plan: CompiledPlan; readonly numbers: readonly number[] } {
    const manifest = this.#manifest;
    const table = this.table(name);
    const at = () => `${this.#path}, plan "${name}"`;
    checkVersion(manifest.uint(table, planFields.version), at);
    if (name === '') throw storeError('ERR_STORE_FORMAT', { expected: 'a name', received: 'nothing', at: at() });
    const parts: StagePart[] = new Array(manifest.count(table, planFields.stages));
    const stages: PhysicalStage[] = new Array(parts.length);
    for (let index = 0; index < parts.length; index++) {
      parts[index] = this.#stage(manifest.uintAt(table, planFields.stages, index));
      stages[index] = parts[index]!.stage;
    }
    const form = this.#form(manifest.uint(table, planFields.shape), parts, stages, at);
    const numbers = this.#numbersOf(parts);
    const parameters: ParameterId[] = new Array(numbers.length);
    for (let index = 0; index < numbers.length; index++) parameters[index] = this.#blobs.at(numbers[index]!).id;
    const plan = assemblePlan(name, form, stages, parameters);
    return { plan: this.#checks.checkPlan?.({ plan, form, numbers }, this.#parameters) ?? plan, numbers };
  }

  /** Returns the indices of the parameters of several stages, each index once. */
  #numbersOf(parts: readonly StagePart[]): readonly number[] {
    const taker = ++this.#taken;
    let all = 0;
    for (let index = 0; index < parts.length; index++) all += parts[index]!.numbers.length;
    const distinct: number[] = new Array(all);
    let count = 0;
    for (let index = 0; index < parts.length; index++) {
      const { numbers } = parts[index]!;
      for (let index = 0; index < numbers.length; index++) {
        const number = numbers[index]!;
        if (this.#lastTaker[number] === taker) continue;
        this.#lastTaker[number] = taker;
        distinct[count++] = number;
      }
    }
    distinct.length = count;
    return distinct;
  }

  #form(shape: number, parts: readonly StagePart[], stages: readonly PhysicalStage[], at: () => string): PlanForm {
    const known = this.#forms[shape];
    const found = known && formOf(known, parts);
    if (found !== undefined) return found;
    const form = decodeForm(this.#shape(shape), stages, at());
    const programs = parts.map(({ program }) => program);
    if (known === undefined) this.#forms[shape] = [{ programs, form }];
    else known.push({ programs, form });
    return form;
  }

  #stage(number: number): StagePart {
    return this.#parts.stage[number] ?? this.#decodeStage(number);
  }

  #decodeStage(number: number): StagePart {
    this.#checkNumber('stage', number);
    const manifest = this.#manifest;
    const at = () => this.#location('stage', number);
    const table = this.#tableAt('stages', number);
    const program = manifest.uint(table, stageFields.program);
    const numbers = manifest.uints(table, stageFields.parameters);
    const parameters: ParameterId[] = new Array(numbers.length);
    for (let index = 0; index < numbers.length; index++) {
      if (numbers[index]! >= this.#blobs.count)
        throwFormatError(at(), `${numbers[index]}`, indexBelow('a number', this.#blobs.count));
      parameters[index] = this.#blobs.at(numbers[index]!).id;
    }
    const facts = {
      key: manifest.text(table, stageFields.key),
      role: manifest.byte(table, stageFields.role),
      parameters,
    };
    const decoded = decodeStage(facts, this.#program(program), at);
    const isDeferred = this.#checks.deferStage?.(decoded) ?? false;
    if (!isDeferred && this.#checks.checkStage !== undefined) this.#checkStage(decoded, program, parameters);
    const part = { stage: this.#checks.identify?.(decoded) ?? decoded, program, numbers };
    this.#parts.stage[number] = part;
    return part;
  }

  /**
   * Checks a stage unless another stage with the same stage program, parameter types and parameter
   * shapes was already checked.
   */
  #checkStage(stage: PhysicalStage, program: number, parameters: readonly ParameterId[]): void {
    let key = `${program}:`;
    for (let index = 0; index < parameters.length; index++) {
      const id = parameters[index]!;
      // the part of an id before the colon describes type and shape
      key += ` ${id.slice(0, id.indexOf(':'))}`;
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

  /** Returns a stage program or a shape. Decodes it on first use. */
  #part<Kind extends 'program' | 'shape'>(
    kind: Kind,
    number: number,
    decode: (table: number, at: string) => Parts[Kind],
  ): Parts[Kind] {
    const known = this.#parts[kind][number];
    if (known !== undefined) return known;
    this.#checkNumber(kind, number);
    const decoded = decode(this.#tableAt(`${kind}s`, number), this.#location(kind, number));
    this.#parts[kind][number] = decoded;
    return decoded;
  }

  #checkNumber(kind: keyof Parts, number: number): void {
    const count = this.#count(`${kind}s`);
    if (number >= count) throwFormatError(this.#location(kind, number), `${number}`, indexBelow(`a ${kind}`, count));
  }

  /** Returns the location of a stage, program or shape, for error messages. */
  #location(kind: keyof Parts, number: number): string {
    return `${this.#path}, ${kind} ${number}`;
  }

  #count(list: keyof Lists): number {
    return this.#manifest.countOf(this.#lists[list]);
  }

  #tableAt(list: keyof Lists, number: number): number {
    return this.#manifest.tableOf(this.#lists[list], number);
  }

  #names(): string[] {
    const names: string[] = new Array(this.#count('plans'));
    for (let number = 0; number < names.length; number++)
      names[number] = this.#manifest.text(this.#tableAt('plans', number), planFields.name) ?? '';
    return names;
  }
}
