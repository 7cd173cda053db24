import { type CompiledPlan, dtypeOf, type OutputPort, type ParameterId } from '@brezel/core';
import type { DecodedPlan, FileParameters } from '@brezel/fleet-file';
import { integerLabelsOf, type ParameterShape } from '@brezel/flour';
import { lookupOf } from './check-labels.js';

type Lookup = ReturnType<typeof lookupOf>;

/**
 * Adds the integer labels to the outputs of plans from a fleet file. The file does not store them,
 * because the parameter `table` of the output's label lookup already contains them.
 *
 * Plans with the same `form` object have the same label lookups. If they also have the same table,
 * they share one list of outputs with labels.
 */
export class IntegerLabels {
  /**
   * For each `form` object, which several plans can share: the label lookup of each output, or an
   * empty list if no int64 output has one.
   */
  readonly #lookups = new WeakMap<object, readonly Lookup[]>();
  /** For each output, its copies with labels, by the id of the table that holds these labels. */
  readonly #labeled = new WeakMap<OutputPort, Map<ParameterId, OutputPort>>();
  /**
   * For each list of outputs, the last list with labels that replaced it. Plans whose stages are
   * connected in the same way must share this list, because the runtime recognizes such plans by
   * it.
   */
  readonly #lists = new WeakMap<CompiledPlan['outputs'], CompiledPlan['outputs']>();

  addTo(decoded: DecodedPlan, parameters: FileParameters): CompiledPlan {
    const { plan, form } = decoded;
    let lookups = this.#lookups.get(form);
    if (lookups === undefined) {
      lookups = integerLookups(plan);
      this.#lookups.set(form, lookups);
    }
    if (lookups.length === 0) return plan;
    const outputs = plan.outputs.map((port, index) => this.#labeledPort(decoded, port, lookups[index], parameters));
    return { ...plan, outputs: this.#sharedList(plan.outputs, outputs) };
  }

  /** Returns the list of the previous plan with the same outputs, or the new list. */
  #sharedList(from: CompiledPlan['outputs'], labeled: CompiledPlan['outputs']): CompiledPlan['outputs'] {
    const known = this.#lists.get(from);
    if (known?.every((port, index) => port === labeled[index])) return known;
    this.#lists.set(from, labeled);
    return labeled;
  }

  #labeledPort(
    { plan, numbers }: DecodedPlan,
    port: OutputPort,
    found: Lookup,
    parameters: FileParameters,
  ): OutputPort {
    if (found === undefined) return port;
    const id = plan.stages[found.stage]!.stage.steps[found.step]!.parameters.table!;
    const byTable = this.#labeled.get(port) ?? new Map<ParameterId, OutputPort>();
    const known = byTable.get(id);
    if (known !== undefined) return known;
    // Reads the parameter by its number in the file. An index of all ids would slow down the open
    // of an unverified file.
    const number = numbers[plan.parameters.indexOf(id)];
    // A forged step may lack its table. The check of its stage reports the error.
    if (number === undefined) return port;
    const info = parameters.infoAt(number) as ParameterShape;
    const integerLabels = integerLabelsOf(info, () => parameters.valueAt(number));
    const labeled = integerLabels === undefined ? port : { ...port, integerLabels };
    this.#labeled.set(port, byTable.set(id, labeled));
    return labeled;
  }
}

/**
 * Returns the label lookup of each output (undefined for an output without one), or an empty list
 * if no int64 output has one.
 */
function integerLookups(plan: CompiledPlan): readonly Lookup[] {
  const lookups = plan.outputs.map(({ type, slot, wide }) =>
    dtypeOf(type) === 'int64' && wide !== true ? lookupOf(plan, slot) : undefined,
  );
  return lookups.some((found) => found !== undefined) ? lookups : [];
}
