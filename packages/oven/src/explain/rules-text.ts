import { printType, type StoppedRules } from '@brezel/core';
import type { LogicalNode, LogicalPlan } from '../logical-plan.js';
import { nodesOfStage } from '../plan-index.js';
import { printMarks } from '../print-plan.js';
import type { RuleEvent } from '../step-run.js';
import { summarize } from './summarize.js';
import { alignColumns, printable } from './words.js';

/** Lists the applied rules in the order of their first change, with a summary of each rule. */
export function firedRules(events: readonly RuleEvent[]): string[] {
  const fired = new Map<string, { summary: string; times: number }>();
  for (const { rule, summary = '' } of events) fired.set(rule, { summary, times: (fired.get(rule)?.times ?? 0) + 1 });
  if (fired.size === 0) return ['rules: none fired'];
  const rows = [...fired].map(([rule, { summary, times }]) => [
    `  ${printable(rule)}${times > 1 ? ` (${times} times)` : ''}`,
    printable(summary),
  ]);
  return ['rules:', ...alignColumns(rows)];
}

/**
 * Returns lines about the rules that the limit for very long programs has stopped. The list is
 * empty if Oven stopped no rule.
 */
export function stoppedLines(stopped: StoppedRules | undefined): string[] {
  if (stopped === undefined) return [];
  const { changedNodes, rules } = stopped;
  return [
    `rules stopped: optional rules changed more than ${changedNodes} nodes, the limit for one program.`,
    `  These rules could still change the plan: ${rules.map((rule) => printable(rule)).join(', ')}.`,
    '  The plan is correct, but may be slower.',
  ];
}

/** Formats the program, then each change with its removed lines (-) and added lines (+). */
export function verboseRules(events: readonly RuleEvent[]): string[] {
  const [first] = events;
  if (first === undefined) return ['rules: none fired'];
  const inputs = new Set(first.before.inputs);
  return [
    'program as written:',
    ...first.before.nodes
      .filter((node) => inputs.has(node.id))
      .map((node) => `    input ${nameOf(node)} : ${printable(printType(node.type))}`),
    ...[...nodeLines(first.before).values(), ...outputLines(first.before).values()].map((line) => `    ${line}`),
    ...events.flatMap((event) => ['', ...eventHead(event), ...changes(event.before, event.after)]),
  ];
}

function eventHead({ rule, step, micros, summary }: RuleEvent): string[] {
  const head = `rule ${printable(rule)}  (${step}, ${micros.toFixed(0)} µs)`;
  return summary === undefined ? [head] : [head, `  ${printable(summary)}`];
}

/**
 * Returns the name of a node in the list of changes: its name, or a name with its id. Rules change
 * neither, so that a comparison shows only changed nodes.
 */
const nameOf = (node: LogicalNode) => (node.name === undefined ? `v${node.id}` : printable(node.name));

function changes(before: LogicalPlan, after: LogicalPlan): string[] {
  const lines = [
    ...difference(nodeLines(before), nodeLines(after)),
    ...difference(stageLines(before), stageLines(after)),
    ...difference(outputLines(before), outputLines(after)),
  ];
  return lines.length > 0 ? lines : ['  (operators, stages and outputs are unchanged)'];
}

/** The printed lines of nodes, stages or outputs. The key is the id, or the name of an output. */
type Lines = ReadonlyMap<string, string>;

function difference(was: Lines, is: Lines): string[] {
  const gone = [...was].filter(([key]) => !is.has(key)).map(([, line]) => `  - ${line}`);
  const come = [...is].flatMap(([key, line]) => {
    const old = was.get(key);
    if (old === undefined) return [`  + ${line}`];
    return old === line ? [] : [`  - ${old}`, `  + ${line}`];
  });
  return [...gone, ...come];
}

function nodeLines({ nodes }: LogicalPlan): Lines {
  const names = new Map(nodes.map((node) => [node.id, nameOf(node)]));
  return new Map(
    nodes
      .filter((node) => node.operator !== undefined)
      .map((node) => {
        const inputs = node.inputs.map((input) => names.get(input)).join(', ');
        const summary = summarize(node.operator, node.attributes);
        const shown = `${nameOf(node)} = ${node.operator!.name}(${inputs})${summary === '' ? '' : ` [${summary}]`}`;
        return [`${node.id}`, `${shown} : ${printable(printType(node.type))}`];
      }),
  );
}

function stageLines(plan: LogicalPlan): Lines {
  return new Map(
    plan.stages.map((stage) => {
      const { id, role } = stage;
      const members = nodesOfStage(plan, id).map(nameOf);
      const notes = printMarks(stage).map((mark) => `; ${mark}`);
      return [`${id}`, `stage ${id + 1} (${role}): ${members.join(', ') || 'empty'}${notes.join('')}`];
    }),
  );
}

function outputLines({ outputs, nodes }: LogicalPlan): Lines {
  const names = new Map(nodes.map((node) => [node.id, nameOf(node)]));
  return new Map(outputs.map(({ name, node }) => [name, `output ${printable(name)} <- ${names.get(node)}`]));
}
