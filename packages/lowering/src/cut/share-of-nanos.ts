import { type ParameterId, type ParameterValue, type Step, sizeOf } from '@brezel/core';
import type { PlanGraph, Unit } from './plan-graph.js';

const PRODUCT_NANOS = 1 / 16;
const ELEMENT_NANOS = 0.5;
const BRANCH_NANOS = 1.5;
/** The assumed number of entries in a sparse row. */
const SPARSE_ENTRIES = 16;

/**
 * Returns the estimated time of a unit for one row, in nanoseconds. Oven estimates only whole
 * stages, so the time of the stage is divided in proportion to the estimated work of its operators.
 */
export function shareOfNanos(graph: PlanGraph, unit: Unit, parameters: (id: ParameterId) => ParameterValue): number {
  const { stage, marks } = graph.plan.stages[unit.stage]!;
  if (unit.steps.length === stage.steps.length) return marks.nanosPerRow;
  const work = (step: Step) => workOf(step, graph, unit.stage, parameters);
  const mine = graph.stepsOf(unit).reduce((sum, step) => sum + work(step), 0);
  return (marks.nanosPerRow * mine) / stage.steps.reduce((sum, step) => sum + work(step), 0);
}

function workOf(step: Step, graph: PlanGraph, stage: number, parameters: (id: ParameterId) => ParameterValue): number {
  const types = [step.type, ...graph.inputTypes(stage, step)];
  const widths = types.map((type) =>
    type.kind === 'vector' || type.kind === 'scalar' ? sizeOf(type) : SPARSE_ENTRIES,
  );
  const elements = ELEMENT_NANOS * widths.reduce((sum, width) => sum + width, 0);
  if (step.operator === 'tree-ensemble') return elements + BRANCH_NANOS * branchesOf(step, parameters);
  const isDense = types.every(({ kind }) => kind === 'vector' || kind === 'scalar');
  const numbers = isDense ? numbersOf(step, parameters) : SPARSE_ENTRIES * widths[0]!;
  return elements + PRODUCT_NANOS * numbers;
}

const sizeOfParameter = (id: ParameterId, parameters: (id: ParameterId) => ParameterValue): number =>
  parameters(id).shape.reduce((product, size) => product * size, 1);

const numbersOf = ({ parameters: ids }: Step, parameters: (id: ParameterId) => ParameterValue): number =>
  Object.values(ids).reduce((sum, id) => sum + sizeOfParameter(id, parameters), 0);

/**
 * Estimates how many branches one row passes in all trees together, as if the trees were balanced.
 */
function branchesOf({ parameters: ids }: Step, parameters: (id: ParameterId) => ParameterValue): number {
  const [trees, nodes] = [sizeOfParameter(ids.roots!, parameters), sizeOfParameter(ids.mode!, parameters)];
  return trees * Math.log2(1 + nodes / Math.max(1, trees));
}
