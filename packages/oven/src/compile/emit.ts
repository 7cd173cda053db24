import {
  type CompiledPlan,
  dtypeOf,
  type InputPort,
  InternalError,
  type OutputPort,
  PLAN_VERSION,
  type PlannedStage,
  sizeOf,
} from '@brezel/core';
import { integerLabelsOf, lookup } from '@brezel/flour';
import type { ObjectStore } from '@brezel/object-store';
import { rowNanos } from '../estimate.js';
import type { LogicalNode, LogicalPlan, LogicalStage } from '../logical-plan.js';
import { isOutput, nodeOf, nodesOfStage, oncePer, usersOf } from '../plan-index.js';
import type { RuleContext } from '../rule.js';
import { stageOrder } from '../stage-order.js';
import { stageInputs, stageOutputs } from '../steps/4-validate-output/stage-schemas.js';
import { selectKernels, stepsOf } from './select-kernel.js';
import { positionsOf, type StageDraft } from './stage-draft.js';
import { stageIdentity } from './stage-key.js';

/**
 * Converts a logical plan to a compiled plan: the slots, kernels and keys of each stage, and the
 * wiring between stages.
 */
export function emit(plan: LogicalPlan, store: ObjectStore, context: RuleContext): CompiledPlan {
  const order = stageOrder(plan);
  if (order === undefined) throw new InternalError('stages wait for each other');
  const slots = new Map(plan.inputs.map((id, slot) => [id, slot]));
  // Omits stages whose results neither another stage nor a plan output reads. They exist only if
  // the rules that remove them are disabled.
  const read = order.filter((stage) => stageOutputs(plan, stage.id).length > 0);
  const stages = read.map((stage): PlannedStage => {
    const reads = stageInputs(plan, stage.id).map((id) => slots.get(id)!);
    const writes = stageOutputs(plan, stage.id).map((id) => {
      slots.set(id, slots.size);
      return slots.size - 1;
    });
    return { ...physicalStage(plan, stage, store, context), inputs: reads, outputs: writes };
  });
  const outputs = outputPorts(plan, slots, context);
  const inputs = plan.inputs.map((id) => inputPort(plan, id));
  return {
    version: PLAN_VERSION,
    name: plan.name,
    inputs,
    outputs,
    stages,
    parameters: parametersOf(stages),
    width: outputs.reduce((sum, output) => sum + output.length, 0),
    nanosPerRow: stages.reduce((sum, { marks }) => sum + marks.nanosPerRow, rowNanos(inputs)),
  };
}

function inputPort(plan: LogicalPlan, id: number): InputPort {
  const { name, type } = nodeOf(plan, id);
  const read = usersOf(plan, id).length > 0 || isOutput(plan, id);
  return { name: name!, type, ...(!read && { unused: true as const }) };
}

function physicalStage(
  plan: LogicalPlan,
  stage: LogicalStage,
  store: ObjectStore,
  context: RuleContext,
): Pick<PlannedStage, 'stage' | 'marks'> {
  const nodes = nodesOfStage(plan, stage.id);
  const inputs = stageInputs(plan, stage.id);
  const outputIds = stageOutputs(plan, stage.id);
  const slots = new Map([...inputs, ...nodes.map((node) => node.id)].map((id, slot) => [id, slot]));
  const draft: StageDraft = { plan, nodes, slots, positions: positionsOf(nodes), outputs: outputIds, context };
  const types = inputs.map((id) => nodeOf(plan, id).type);
  const steps = stepsOf(draft);
  const outputs = outputIds.map((id) => slots.get(id)!);
  const { calls, nanosPerRow } = selectKernels(draft);
  return {
    stage: {
      ...stageIdentity(store, types, steps, outputs, calls),
      role: stage.role,
      inputs: types,
      steps,
      outputs,
      calls,
    },
    marks: { ...unmarked(outputs.length), ...stage.marks, nanosPerRow: Math.round(nanosPerRow) },
  };
}

/**
 * Returns the default marks of a stage, which apply if the rules that derive marks are disabled.
 * The runtime does not optimize a stage with these marks.
 */
const unmarked = (outputs: number) => ({
  maxVectorSizes: new Array<number>(outputs).fill(Number.POSITIVE_INFINITY),
  vectorizable: false,
  materializable: false,
});

function outputPorts(plan: LogicalPlan, slots: ReadonlyMap<number, number>, context: RuleContext): OutputPort[] {
  let offset = 0;
  return plan.outputs.map(({ name, node: id }) => {
    const node = nodeOf(plan, id);
    const length = node.type.kind === 'tokens' ? 1 : sizeOf(node.type);
    const port = { name, type: node.type, slot: slots.get(id)!, offset, length, ...lookedUp(plan, id, context) };
    offset += length;
    return port;
  });
}

/**
 * Returns the properties of an output that depend on its operator. `labels` contains the strings
 * that a label lookup can return, so that an out-array can receive the index of a string.
 * `integerLabels` contains the integers that a label lookup can return, unless the table has more
 * than 1000 integers or integers beyond 2^53. `wide` is true if integers may be too large for
 * float64.
 */
export function lookedUp(
  plan: LogicalPlan,
  id: number,
  context: RuleContext,
): Pick<OutputPort, 'labels' | 'integerLabels' | 'wide'> {
  const source = sourcesOf(plan).get(id) ?? { node: nodeOf(plan, id), isPassed: false };
  const found = lookedUpHere(source.node, context);
  if (!source.isPassed) return found;
  return found.wide ? { wide: true } : {};
}

/** The node in which a value originates. Later nodes only pass the value on. */
interface ValueSource {
  readonly node: LogicalNode;
  /**
   * Whether a node between the source and the value may pass on only some integers of its input
   * (`passesIntegers`), for example a selection of columns. The labels of the source then do not
   * apply.
   */
  readonly isPassed: boolean;
}

/**
 * The sources of values that nodes pass on: the whole input of a node, or some of its integers. The
 * key is the id of the node.
 */
const sourcesOf = oncePer('nodes', (plan): ReadonlyMap<number, ValueSource> => {
  const sources = new Map<number, ValueSource>();
  for (const node of plan.nodes) {
    const { alias, passesIntegers: passes } = node.operator?.annotations ?? {};
    const passesIntegers = typeof passes === 'function' ? passes(node.attributes) : passes;
    const isPassed = passesIntegers && node.inputs.length === 1 && dtypeOf(node.type) === 'int64';
    if (!alias && !isPassed) continue;
    const [input] = node.inputs as [number];
    const before = sources.get(input) ?? { node: nodeOf(plan, input), isPassed: false };
    sources.set(node.id, { ...before, isPassed: before.isPassed || !alias });
  }
  return sources;
});

function lookedUpHere(
  { operator, type, attributes, parameters }: LogicalNode,
  context: RuleContext,
): ReturnType<typeof lookedUp> {
  const { javascript, wide } = operator?.annotations ?? {};
  if (javascript || wide) return dtypeOf(type) === 'int64' ? { wide: true } : {};
  if (operator !== lookup) return {};
  const table = context.parameter(parameters.table!);
  if (table.dtype === 'string') return { labels: table.values };
  if (attributes.wide === true) return { wide: true };
  const integerLabels = integerLabelsOf(table, () => table);
  return integerLabels === undefined ? {} : { integerLabels };
}

function parametersOf(stages: readonly PlannedStage[]): string[] {
  const all = stages.flatMap(({ stage }) => [
    ...stage.steps.flatMap((step) => Object.values(step.parameters)),
    ...(stage.calls ?? []).flatMap((call) => call.parameters),
  ]);
  return [...new Set(all)];
}
