import { BLACK_BOX, blackBoxNodes, blackBoxReasons } from '@brezel/core';
import type { Explanation } from './explanation.js';
import { measuredNotes, measuredTable, qualityTable } from './measured-table.js';
import { placementWords } from './placement.js';
import { type FleetView, type PlannedStageView, type PlanView, viewPlans } from './plan-view.js';
import { firedRules, stoppedLines, verboseRules } from './rules-text.js';
import type { StepView } from './stage-view.js';
import {
  alignColumns,
  backendLines,
  count,
  javascriptLines,
  partOfModels,
  percent,
  printable,
  printBytes,
} from './words.js';

/**
 * Returns EXPLAIN as text: the plan, its measurements and its rules. For several plans it prints
 * the shared stages first.
 */
export function explainAsText(explanations: readonly Explanation[], verbose: boolean): string {
  const { plans, fleet } = viewPlans(explanations);
  const shown = new Map<string, string>();
  const blocks = plans.map((plan, index) => {
    const { events } = explanations[index]!;
    const lines = planLines(plan, plans.length, shown);
    const stopped = stoppedLines(plan.stoppedRules);
    if (verbose) return [...lines, '', ...verboseRules(events), ...stopped].join('\n');
    const rules = [...firedRules(events), ...stopped];
    const before = shown.get(rules.join());
    shown.set(rules.join(), before ?? printable(plan.name));
    return [...lines, '', ...(before === undefined ? rules : [`rules: as for ${before}`])].join('\n');
  });
  return (plans.length > 1 ? [fleetLines(fleet, plans).join('\n'), ...blocks] : blocks).join('\n\n\n');
}

function fleetLines({ models, stages, parameters }: FleetView, plans: readonly PlanView[]): string[] {
  const saved = parameters.unsharedBytes === 0 ? 0 : 1 - parameters.bytes / parameters.unsharedBytes;
  const shared = new Map(
    plans.flatMap((plan) => plan.stages.filter((stage) => stage.sharedWith > 0)).map((stage) => [stage.key, stage]),
  );
  const rows = [...shared.values()].map((stage) => [
    `  ${stage.key}`,
    stage.role,
    printBytes(stage.parameterBytes),
    `in ${partOfModels(stage.sharedWith + 1, models)}`,
    stage.steps.map((step) => step.operator).join(', '),
  ]);
  return [
    `${count(models, 'model')}: ${count(stages.distinct, 'distinct stage')} instead of ${stages.used}, ` +
      `${printBytes(parameters.bytes)} of parameters instead of ${printBytes(parameters.unsharedBytes)} (${percent(saved)} less)`,
    ...(rows.length > 0
      ? ['shared stages:', ...alignColumns(rows, ['left', 'left', 'right'])]
      : ['no stage is shared']),
  ];
}

/**
 * Formats a plan. `shown` remembers where the text has already described a stage or a list of
 * rules. Later plans only refer to this description.
 */
function planLines(plan: PlanView, models: number, shown: Map<string, string>): string[] {
  const ports = [
    ...plan.inputs.map(({ name, type }) => ['input', printable(name), `: ${printable(type)}`]),
    ...plan.outputs.map(({ name, type, value }) => [
      'output',
      printable(name),
      `: ${printable(type)}`,
      `= ${printable(value)}`,
    ]),
  ];
  const stages = plan.stages.flatMap((stage) => {
    const location = `stage ${stage.number} of ${printable(plan.name)}`;
    const before = shown.get(stage.key);
    shown.set(stage.key, before ?? location);
    return ['', stageHead(stage, models), ...(before === undefined ? stageLines(stage) : [`  same as ${before}`])];
  });
  return [
    `plan ${printable(plan.name)}: ${count(plan.stages.length, 'stage')}, ${printBytes(plan.parameterBytes)} of parameters`,
    ...javascriptLines(plan.javascriptStages, plan.stages.length),
    ...backendLines(plan.blackBoxStages ?? []),
    ...alignColumns(ports),
    ...stages,
    ...(plan.measured ? ['', ...measuredTable(plan, plan.measured), ...measuredNotes(plan.measured, shown)] : []),
    ...(plan.measured?.quality ? ['', ...qualityTable(plan.measured.quality)] : []),
  ];
}

function stageHead({ number, role, key, inputs, outputs, sharedWith }: PlannedStageView, models: number): string {
  const flow = `${inputs.map((value) => printable(value)).join(', ')} -> ${outputs.map((value) => printable(value)).join(', ')}`;
  const shared = sharedWith > 0 ? `  shared with ${count(sharedWith, 'other model')}` : '';
  return `stage ${number}  ${role}  key ${key}${models > 1 ? shared : ''}  ${flow}`;
}

function stageLines(stage: PlannedStageView): string[] {
  const steps = stage.steps.map(({ value, operator, inputs, summary, type }) => [
    `  ${value} = ${operator}(${inputs.map((input) => printable(input)).join(', ')})`,
    summary,
    `: ${printable(type)}`,
  ]);
  const shared = stage.parameters.filter((parameter) => parameter.usedBy > 1).length;
  const alsoUsed = shared > 0 ? `, ${shared} of them also in other stages` : '';
  return [
    ...alignColumns(steps),
    ...stage.steps.flatMap(boxLines),
    `  kernels: ${kernelsOf(stage)}`,
    ...(stage.placement ? [`  device: ${placementWords(stage.placement)}`] : []),
    `  parameters: ${count(stage.parameters.length, 'object')}, ${printBytes(stage.parameterBytes)}${alsoUsed}`,
  ];
}

/**
 * For each reason why nodes of a black box run in another runtime, EXPLAIN shows at most this many
 * nodes.
 */
const SHOWN_NODES = 12;

/** Formats the nodes of a black-box operator, with the reasons why another runtime runs them. */
const boxLines = ({ operator, attributes }: StepView): string[] =>
  (operator === BLACK_BOX ? blackBoxReasons(blackBoxNodes(attributes)) : []).map(({ reason, names }) => {
    const more = names.length > SHOWN_NODES ? ` and ${names.length - SHOWN_NODES} more` : '';
    return `  in a backend: ${printable(`${names.slice(0, SHOWN_NODES).join(', ')}${more}, ${reason}`)}`;
  });

/** The words after the kernels of a stage that do not run in the addon. */
const places = { native: '', wasm: ' (in WebAssembly)', javascript: ' (in JavaScript)' } as const;

function kernelsOf({ engine, kernels, steps }: PlannedStageView): string {
  if (steps.some((step) => step.operator === BLACK_BOX)) return 'none: runs in a backend';
  if (kernels.length === 0) return engine === 'javascript' ? 'none: runs in JavaScript' : 'none needed';
  const runs = new Array<number>(kernels.length).fill(0);
  for (const { kernel } of steps) if (kernel !== undefined) runs[kernel]!++;
  const named = kernels.map((kernel, index) => {
    const operators = runs[index]!;
    return operators > 1 ? `${kernel} (${operators} operators)` : kernel;
  });
  return `${named.join(', ')}${places[engine]}`;
}
