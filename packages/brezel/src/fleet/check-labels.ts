import { type CompiledPlan, dtypeOf, type OutputPort, type ParameterId, type ParameterValue } from '@brezel/core';
import { findOperator } from '@brezel/flour';
import { fleetError } from './errors.js';

/** What a file knows of its parameters. */
export interface StoredParameters {
  info(id: ParameterId): { readonly dtype: string; readonly shape: readonly number[] };
  value(id: ParameterId): ParameterValue;
}

/** The step that looks up the labels of an output: numbers of its stage, and of the step in it. */
interface Place {
  readonly port: OutputPort;
  readonly stage: number;
  readonly step: number;
}

/**
 * Checks labels of outputs against the tables that plans look them up in: the addon answers with a label's number, JavaScript with the table's entry, and
 * both must mean the same. Plans of one form differ in their tables only.
 */
export class LabelCheck {
  readonly #isThorough: boolean;
  /** Of the plans of a form. */
  readonly #places = new WeakMap<object, readonly Place[]>();
  /** Tables that are as the labels of an output say. */
  readonly #fitting = new WeakMap<OutputPort, Set<ParameterId>>();

  /** @param isThorough whether the entries of tables are read and compared, not only counted. */
  constructor(isThorough: boolean) {
    this.#isThorough = isThorough;
  }

  /** @throws ERR_FLEET_LABELS */
  check(plan: CompiledPlan, form: object, parameters: StoredParameters): void {
    let places = this.#places.get(form);
    if (places === undefined) {
      places = placesOf(plan);
      this.#places.set(form, places);
    }
    for (let at = 0; at < places.length; at++) this.#checkPlace(plan, places[at]!, parameters);
  }

  #checkPlace(plan: CompiledPlan, { port, stage, step }: Place, parameters: StoredParameters): void {
    const id = plan.stages[stage]!.stage.steps[step]!.parameters.table!;
    const fitting = this.#fitting.get(port) ?? new Set();
    if (fitting.has(id)) return;
    const labels = port.labels!;
    const { dtype, shape } = parameters.info(id);
    const fault = (expected: string, received: string) => wrongLabels(plan, port, expected, received);
    if (dtype !== 'string') throw fault('labels of a table of strings', `a table of ${dtype}`);
    if (labels.length !== shape[0]) throw fault(`${shape[0]} labels, as in their table`, `${labels.length}`);
    if (this.#isThorough) {
      const { values } = parameters.value(id) as { readonly values: readonly string[] };
      const at = labels.findIndex((label, entry) => label !== values[entry]);
      if (at >= 0) throw fault(`label ${at} ${quoted(values[at]!)}, as in its table`, quoted(labels[at]!));
    }
    this.#fitting.set(port, fitting.add(id));
  }
}

function placesOf(plan: CompiledPlan): Place[] {
  return plan.outputs.flatMap((port) => {
    if (port.labels === undefined) return [];
    if (dtypeOf(port.type) !== 'string') throw wrongLabels(plan, port, 'labels of strings', 'labels of numbers');
    const found = lookupOf(plan, port.slot);
    if (found === undefined) throw wrongLabels(plan, port, 'labels that are looked up', 'labels of another output');
    checkCount(plan, port, found);
    return [{ port, ...found }];
  });
}

/** A kernel gives numbers below its attribute: each must have a label of its own. */
function checkCount(plan: CompiledPlan, port: OutputPort, { stage, step }: Omit<Place, 'port'>): void {
  const { inputs, calls } = plan.stages[stage]!.stage;
  const call = calls?.find(({ kernel, output }) => kernel === 'lookup' && output === inputs.length + step);
  if (call === undefined) return;
  const { length } = port.labels!;
  if (call.attributes[0] !== length) throw wrongLabels(plan, port, `numbers below ${length}`, `${call.attributes[0]}`);
  if (new Set(port.labels).size < length) throw wrongLabels(plan, port, 'labels that differ', 'one label twice');
}

/** Whence a value of a plan comes, through operators that hand it on as it is. */
function lookupOf(plan: CompiledPlan, slot: number): Omit<Place, 'port'> | undefined {
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
