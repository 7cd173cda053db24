import { type CompiledPlan, dtypeOf, type OutputPort, type ParameterId, type ParameterValue } from '@brezel/core';
import { findOperator } from '@brezel/flour';
import { fleetError } from './errors.js';

/** Reads the parameters of a fleet file. */
export interface StoredParameters {
  /** Undefined for a parameter that the file lacks. */
  info(id: ParameterId): { readonly dtype: string; readonly shape: readonly number[] } | undefined;
  value(id: ParameterId): ParameterValue;
}

/**
 * The step that looks up the labels of an output, by the index of its stage and the index of the
 * step in the stage.
 */
interface LabelLookup {
  readonly port: OutputPort;
  readonly stage: number;
  readonly step: number;
}

/**
 * Compares the labels of outputs with the tables in which plans look up labels. The addon returns
 * the index of a label, and JavaScript returns the entry of the table. Both must give the same
 * label.
 *
 * Plans with the same form differ only in their tables, so the label lookups are found once for
 * each form.
 */
export class LabelCheck {
  readonly #isThorough: boolean;
  /** The label lookups of each plan form. */
  readonly #lookups = new WeakMap<object, readonly LabelLookup[]>();
  /** For each output, the tables whose entries equal the labels of the output. */
  readonly #fitting = new WeakMap<OutputPort, Set<ParameterId>>();

  /**
   * Creates a check.
   *
   * @param isThorough true compares the entries of tables; false compares only their number.
   */
  constructor(isThorough: boolean) {
    this.#isThorough = isThorough;
  }

  /**
   * Checks the labels of a plan.
   *
   * @throws ERR_FLEET_LABELS
   */
  check(plan: CompiledPlan, form: object, parameters: StoredParameters): void {
    let lookups = this.#lookups.get(form);
    if (lookups === undefined) {
      lookups = lookupsOf(plan);
      this.#lookups.set(form, lookups);
    }
    for (let index = 0; index < lookups.length; index++) this.#checkLookup(plan, lookups[index]!, parameters);
  }

  #checkLookup(plan: CompiledPlan, { port, stage, step }: LabelLookup, parameters: StoredParameters): void {
    const id = plan.stages[stage]!.stage.steps[step]!.parameters.table!;
    const fitting = this.#fitting.get(port) ?? new Set();
    if (fitting.has(id)) return;
    const labels = port.labels!;
    const labelError = (expected: string, received: string) => wrongLabels(plan, port, expected, received);
    const info = parameters.info(id);
    if (info === undefined) throw labelError('labels from a table of the file', 'a table that the file lacks');
    const { dtype, shape } = info;
    if (dtype !== 'string') throw labelError('labels from a table of strings', `a table of ${dtype}`);
    if (labels.length !== shape[0]) throw labelError(`${shape[0]} labels, as in the table`, `${labels.length}`);
    if (this.#isThorough) {
      const { values } = parameters.value(id) as { readonly values: readonly string[] };
      const index = labels.findIndex((label, entry) => label !== values[entry]);
      if (index >= 0)
        throw labelError(`label ${index} ${quoted(values[index]!)}, as in the table`, quoted(labels[index]!));
    }
    this.#fitting.set(port, fitting.add(id));
  }
}

function lookupsOf(plan: CompiledPlan): LabelLookup[] {
  return plan.outputs.flatMap((port) => {
    if (port.labels === undefined) return [];
    if (dtypeOf(port.type) !== 'string') throw wrongLabels(plan, port, 'labels of strings', 'labels of numbers');
    const found = lookupOf(plan, port.slot);
    if (found === undefined) throw wrongLabels(plan, port, 'labels that are looked up', 'labels of another output');
    checkCount(plan, port, found);
    return [{ port, ...found }];
  });
}

/**
 * Checks that each index that a kernel can return has exactly one label. The kernel's attribute is
 * the number of labels.
 */
function checkCount(plan: CompiledPlan, port: OutputPort, { stage, step }: Omit<LabelLookup, 'port'>): void {
  const { inputs, calls } = plan.stages[stage]!.stage;
  const call = calls?.find(({ kernel, output }) => kernel === 'lookup' && output === inputs.length + step);
  if (call === undefined) return;
  const { length } = port.labels!;
  if (call.attributes[0] !== length) throw wrongLabels(plan, port, `numbers below ${length}`, `${call.attributes[0]}`);
  if (new Set(port.labels).size < length) throw wrongLabels(plan, port, 'distinct labels', 'a duplicate label');
}

/**
 * Returns the lookup that computes a value of a plan. It follows operators that return their input
 * unchanged.
 */
function lookupOf(plan: CompiledPlan, slot: number): Omit<LabelLookup, 'port'> | undefined {
  const stage = plan.stages.findIndex(({ outputs }) => outputs.includes(slot));
  if (stage < 0) return undefined;
  const { stage: own, inputs, outputs } = plan.stages[stage]!;
  let within = own.outputs[outputs.indexOf(slot)]!;
  while (within >= own.inputs.length) {
    const step = within - own.inputs.length;
    const { operator, version, inputs: reads } = own.steps[step]!;
    if (operator === 'lookup') return { stage, step };
    if (findOperator(operator, version)?.annotations.alias !== true) return undefined;
    within = reads[0]!;
  }
  return lookupOf(plan, inputs[within]!);
}

const quoted = (label: string) => JSON.stringify(label.slice(0, 40));

const wrongLabels = ({ name }: CompiledPlan, port: OutputPort, expected: string, received: string): Error =>
  fleetError('ERR_FLEET_LABELS', { expected, received, at: `plan "${name}", output "${port.name}"` });
