import { printPlan } from '../logical-plan.js';
import type { Explanation } from './explanation.js';
import { type PlanView, viewPlan } from './plan-view.js';
import { printBytes, type StageView } from './stage-view.js';

/** EXPLAIN as text: the plan, then the rules that made it. */
export function explainAsText(explanation: Explanation, verbose: boolean): string {
  const view = viewPlan(explanation);
  return [...planLines(view), '', ...(verbose ? verboseRules(explanation) : firedRules(explanation))].join('\n');
}

function planLines(view: PlanView): string[] {
  return [
    `plan ${view.name}: ${count(view.stages.length, 'stage')}, ${printBytes(view.parameterBytes)} of parameters`,
    ...view.inputs.map((input) => `input  ${input.name} : ${input.type}`),
    ...view.stages.flatMap(stageLines),
    '',
    ...view.outputs.map((output) => `output ${output.name} : ${output.type} = ${output.value}`),
  ];
}

function stageLines(stage: StageView): string[] {
  const kernels = stage.engine === 'native' ? stage.kernels.join(', ') : 'none: runs in JavaScript';
  return [
    '',
    `stage ${stage.number}  ${stage.role}  key ${stage.key}  ${stage.inputs.join(', ')} -> ${stage.outputs.join(', ')}`,
    ...stage.steps.map((step) => `  ${step}`),
    `  kernels: ${kernels}`,
    `  parameters: ${count(stage.parameters.length, 'object')}, ${printBytes(stage.parameterBytes)}`,
  ];
}

function firedRules({ events }: Explanation): string[] {
  const times = new Map<string, number>();
  for (const { rule } of events) times.set(rule, (times.get(rule) ?? 0) + 1);
  return ['rules:', ...[...times].map(([rule, number]) => `  ${rule}${number > 1 ? ` (${number} times)` : ''}`)];
}

/** The program, then each change with what it took away and what it put there. */
function verboseRules({ events }: Explanation): string[] {
  const [first] = events;
  if (first === undefined) return ['no rule fired'];
  const steps = events.map(({ step, rule, before, after, micros }) => {
    const [was, is] = [printPlan(before).split('\n'), printPlan(after).split('\n')];
    return [
      '',
      `rule ${rule}  (${step}, ${micros.toFixed(0)} µs)`,
      ...was.filter((line) => !is.includes(line)).map((line) => `  - ${line}`),
      ...is.filter((line) => !was.includes(line)).map((line) => `  + ${line}`),
    ];
  });
  return [
    'program as written:',
    ...printPlan(first.before)
      .split('\n')
      .map((line) => `    ${line}`),
    ...steps.flat(),
  ];
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;
