import type { CompiledPlan, KernelCall, ParameterId, PhysicalStage } from '@brezel/core';
import { findOperator } from '@brezel/flour';
import type { ObjectStore } from '@brezel/object-store';
import { CompilationContext } from '../compilation-context.js';
import type { LogicalNode, LogicalPlan } from '../logical-plan.js';
import { nodesOfStage } from '../plan-index.js';
import type { RuleContext } from '../rule.js';
import { lookedUp } from './emit.js';
import { ALIAS, callOf, candidatesFor, isLabel } from './select-kernel.js';
import { positionsOf, type StageDraft } from './stage-draft.js';

/**
 * Checks that the kernel calls in the plans of a file compute the operators of these plans. This
 * version of Oven must be able to select each kernel call, and must derive the same parameters for
 * it.
 *
 * Any kernel that can run the operators is accepted, not only the cheapest one. Which kernel is
 * cheapest depends on training statistics and on the machine that packed the file, and the file
 * contains neither. All these kernels give the same answers.
 */
export class PlanComparison {
  readonly #store: ObjectStore;
  /**
   * The stages without a difference, so that each stage is compared only once. An entry consists of
   * the key of the stage and, for each of its inputs, whether the input is a label (see `isLabel`).
   */
  readonly #equal = new Set<string>();

  /** @param store the store that contains the parameters of the plans. */
  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /**
   * Returns a text about the first difference between a plan and its operators, or undefined if
   * there is none. Checks the kernel calls of all stages, then the field `wide` of the outputs.
   * Skips stages that run in JavaScript, because they have no kernel calls.
   *
   * Cost: derives the parameters of each stage once.
   *
   * @throws errors of operators whose attributes or parameters are invalid.
   */
  differenceOf(plan: CompiledPlan): string | undefined {
    const logical = logicalPlanOf(plan);
    const context = new ComparisonContext(this.#store);
    try {
      for (const [index, { stage }] of plan.stages.entries()) {
        const difference = this.#differenceOfStage(stage, logical.drafts[index]!, context);
        if (difference !== undefined) return `stage ${index}: ${difference}`;
      }
      return differenceOfOutputs(plan, logical, context);
    } finally {
      context.release();
    }
  }

  #differenceOfStage(stage: PhysicalStage, draft: FileDraft, context: ComparisonContext): string | undefined {
    if (stage.calls === undefined) return undefined; // the reference implementations run the steps
    const whole = { ...draft, context };
    const key = `${stage.key} ${draft.inputs.map((id) => isLabel(id, whole))}`;
    if (this.#equal.has(key)) return undefined;
    const difference = differenceOfCalls(stage.calls, whole, context);
    if (difference === undefined) this.#equal.add(key);
    return difference;
  }
}

/**
 * Derives the parameters of a plan again, to compare them with the parameters in the file. The file
 * does not contain the statistics that determine the positions of entries in a dictionary.
 * Therefore `placedLike` can be set to a dictionary of the file: new dictionaries then use its
 * positions.
 */
class ComparisonContext extends CompilationContext {
  placedLike: RuleContext['placedLike'];
  readonly #ownStore: ObjectStore;

  constructor(store: ObjectStore) {
    super(store);
    this.#ownStore = store;
  }

  /** Calls a function while `placedLike` is set to a dictionary of the file. */
  likeIn<T>(id: ParameterId, run: () => T): T {
    this.placedLike = { id, bytes: this.#ownStore.memory.read(this.#ownStore.handle(id)) };
    try {
      return run();
    } finally {
      this.placedLike = undefined;
    }
  }

  isBlob(id: ParameterId): boolean {
    return this.info(id).dtype === 'blob';
  }
}

type FileDraft = Omit<StageDraft, 'context'> & {
  /** Ids of the nodes from which the stage reads its inputs. */
  readonly inputs: readonly number[];
};

/** A plan of a file as a logical plan, and its stages as they were before kernels were selected. */
interface FilePlan {
  readonly plan: LogicalPlan;
  readonly drafts: readonly FileDraft[];
}

function logicalPlanOf({ name, inputs, outputs, stages }: CompiledPlan): FilePlan {
  const nodes: LogicalNode[] = inputs.map(({ name, type }, id) => ({
    id,
    operator: undefined,
    name,
    inputs: [],
    attributes: {},
    parameters: {},
    type,
  }));
  /** For each slot of the plan, the id of the node whose value it contains. */
  const written = nodes.map(({ id }) => id);
  const reads = stages.map(({ stage, inputs }, number) => {
    const slots = inputs.map((slot) => written[slot]!);
    const read = slots.slice();
    for (const { operator, version, attributes, parameters, inputs, type } of stage.steps) {
      const id = nodes.length;
      const from = inputs.map((slot) => slots[slot]!);
      nodes.push({
        id,
        operator: findOperator(operator, version),
        inputs: from,
        attributes,
        parameters,
        type,
        stage: number,
      });
      slots.push(id);
    }
    for (const slot of stage.outputs) written.push(slots[slot]!);
    return { read, outputs: stage.outputs.map((slot) => slots[slot]!) };
  });
  const plan: LogicalPlan = {
    name,
    nodes,
    inputs: inputs.map((_, id) => id),
    outputs: outputs.map(({ name, slot }) => ({ name, node: written[slot]! })),
    stages: stages.map(({ stage }, id) => ({ id, role: stage.role })),
  };
  const drafts = reads.map(({ read, outputs }, number): FileDraft => {
    const own = nodesOfStage(plan, number);
    const slots = new Map([...read, ...own.map(({ id }) => id)].map((id, slot) => [id, slot]));
    return { plan, nodes: own, slots, positions: positionsOf(own), inputs: read, outputs };
  });
  return { plan, drafts };
}

/**
 * Compares the kernel calls of a stage with the calls that Oven can select for its operators. Goes
 * from the outputs to the inputs, because Oven selects kernels in this order. Returns a description
 * of the first difference, or undefined.
 */
function differenceOfCalls(
  calls: readonly KernelCall[],
  draft: StageDraft,
  context: ComparisonContext,
): string | undefined {
  const needed = new Set(draft.outputs);
  let left = calls.length;
  for (const node of draft.nodes.toReversed()) {
    if (!needed.has(node.id)) continue;
    const call = calls[--left];
    const at = `call ${left}`;
    if (call === undefined) return `no kernel call for ${node.operator!.name}`;
    // A kernel has several candidates if earlier versions derived other parameters for it.
    const candidates = candidatesFor(node, draft).filter(({ kernel, attributes, inputs, covered }) => {
      const steps = covered.map(({ id }) => draft.positions.get(id));
      return (
        kernel === call.kernel &&
        call.output === draft.slots.get(node.id) &&
        equal(call.attributes, attributes) &&
        equal(call.steps, steps) &&
        equal(
          call.inputs,
          inputs.map((id) => draft.slots.get(id)!),
        )
      );
    });
    if (candidates.length === 0) return `${at}: ${call.kernel} cannot run ${node.operator!.name} in this way`;
    const candidate = candidates.find((one) => hasParameters(call, () => callOf(one, draft).parameters, context));
    if (candidate === undefined) return `${at}: ${call.kernel} with parameters that its steps do not have`;
    for (const input of candidate.inputs) needed.add(input);
  }
  return left === 0 ? undefined : `${left} kernel calls that no output needs`;
}

/** Returns whether a kernel call has the parameters that `derive` returns. */
function hasParameters(
  { kernel, parameters }: KernelCall,
  derive: () => readonly ParameterId[],
  context: ComparisonContext,
): boolean {
  const derived = derive();
  if (equal(parameters, derived)) return true;
  const differing = parameters.find((id, index) => id !== derived[index]);
  if (differing === undefined || kernel === ALIAS || !context.isBlob(differing)) return false;
  return equal(parameters, context.likeIn(differing, derive));
}

const equal = <T>(a: readonly T[], b: readonly T[]): boolean =>
  a.length === b.length && a.every((element, index) => element === b[index]);

function differenceOfOutputs({ outputs }: CompiledPlan, { plan }: FilePlan, context: RuleContext): string | undefined {
  const wrong = outputs.find(
    ({ wide = false }, index) => wide !== (lookedUp(plan, plan.outputs[index]!.node, context).wide ?? false),
  );
  return wrong && `output "${wrong.name}": wide ${wrong.wide ?? false}`;
}
