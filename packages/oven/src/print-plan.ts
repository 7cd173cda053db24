import { printType, type ValueType } from '@brezel/core';
import type { LogicalNode, LogicalPlan, LogicalStage } from './logical-plan.js';
import { nodeOf, nodesOfStage } from './plan-index.js';

/**
 * Formats a plan for people: stage by stage, one line for each node. Ids are renumbered in order,
 * so that equal plans print equal texts.
 */
export function printPlan(plan: LogicalPlan): string {
  const names = new Map<number, string>();
  let numbered = 0;
  for (const node of plan.nodes) {
    const name = node.name ?? `v${numbered}`;
    if (/^v\d+$/.test(name)) numbered++;
    names.set(node.id, name);
  }
  const line = (node: LogicalNode) =>
    `${names.get(node.id)} = ${printOperator(node)}(${node.inputs.map((input) => names.get(input)).join(', ')}) : ${printType(node.type)}`;
  const inputs = plan.inputs.map((id) => `${names.get(id)} : ${printType(nodeOf(plan, id).type)}`);
  const operators = plan.nodes.filter((node) => node.operator !== undefined);
  const blocks = plan.stages.map((stage, index) => {
    const own = nodesOfStage(plan, stage.id).filter((node) => node.operator !== undefined);
    const lines = own.map((node) => `  ${line(node)}`);
    return [`stage ${index + 1} (${[stage.role, ...printMarks(stage)].join('; ')})`, ...lines].join('\n');
  });
  const loose = operators.filter((node) => node.stage === undefined).map(line);
  const outputs = plan.outputs.map(({ name, node }) => `${name} <- ${names.get(node)}`);
  return [`input ${inputs.join(', ')}`, ...loose, ...blocks, `output ${outputs.join(', ')}`].join('\n');
}

/**
 * Formats what the step "Validate output" has derived about a stage: the types of its inputs and
 * outputs, the largest number of entries of its vectors, and whether the stage is vectorizable and
 * materializable. Omits properties that the step has not derived yet.
 */
export function printMarks({ schema, marks = {} }: LogicalStage): string[] {
  const types = (list: readonly ValueType[]) => list.map(printType).join(', ');
  return [
    ...(schema ? [`${types(schema.inputs)} -> ${types(schema.outputs)}`] : []),
    ...(marks.maxVectorSizes ? [`most entries: ${marks.maxVectorSizes.map(printBound).join(', ')}`] : []),
    ...printFlag(marks.vectorizable, 'vectorizable'),
    ...printFlag(marks.materializable, 'materializable'),
  ];
}

/**
 * Formats the largest number of entries of a value. The number is infinite for texts and tokens.
 */
const printBound = (entries: number) => (entries === Number.POSITIVE_INFINITY ? 'unbounded' : `${entries}`);

const printFlag = (flag: boolean | undefined, name: string): string[] =>
  flag === undefined ? [] : [flag ? name : `not ${name}`];

/** Formats an operator with the attributes that distinguish this use from other uses. */
export function printOperator(node: Pick<LogicalNode, 'operator' | 'attributes'>): string {
  const shown = Object.entries(node.attributes)
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(', ');
  return `${node.operator!.name}${shown === '' ? '' : `[${shown.length > 80 ? `${shown.slice(0, 77)}...` : shown}]`}`;
}
