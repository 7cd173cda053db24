import { type CompiledPlan, dtypeOf, type OutputPort, type ParameterId, type ParameterValue } from '@brezel/core';
import { findOperator } from '@brezel/flour';
import { fleetError } from './errors.js';

/** Reads the parameters of a fleet file. */
export interface StoredParameters {
  /** Returns the type and shape of a parameter, or undefined if the file lacks the parameter. */
  info(id: ParameterId): { readonly dtype: string; readonly shape: readonly number[] } | undefined;
  value(id: ParameterId): ParameterValue;
}

/**
 * The operator that looks up the labels of an output: `stage` is the index of its stage in the
 * plan, and `step` is the index of the operator in the stage.
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
 * Plans with the same `form` object differ only in name and parameters. The check finds the label
 * lookups once for each form.
 */
export class LabelCheck {
  readonly #isThorough: boolean;
  /**
   * The label lookups of all plans with one `form` object. These plans differ only in name and
   * parameters.
   */
  readonly #lookups = new WeakMap<object, readonly LabelLookup[]>();
  /** For each output, the tables whose entries are known to equal the output's labels. */
  readonly #fitting = new WeakMap<OutputPort, Set<ParameterId>>();

  /**
   * Creates a check.
   *
   * @param isThorough true compares each label with the entry of the table; false compares only the
   * number of labels with the number of entries.
   */
  constructor(isThorough: boolean) {
    this.#isThorough = isThorough;
  }

  /**
   * Checks that the labels of a plan equal the entries of the tables in the file.
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
 * Checks that each index that the `lookup` kernel can return has its own label. The first attribute
 * of the kernel call is the number of indexes.
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
 * Returns the `lookup` operator that computes the value of a slot. Between that operator and the
 * slot, the plan may have operators that return their input unchanged. Returns undefined if another
 * operator computes the value.
 */
export function lookupOf(plan: CompiledPlan, slot: number): Omit<LabelLookup, 'port'> | undefined {
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
