import type { Explanation } from './explanation.js';
import { viewPlan } from './plan-view.js';
import { printBytes, type StageView } from './stage-view.js';

const colours = { featurizer: '#e8f1fa', model: '#fdf1dc' } as const;

/** EXPLAIN as a Graphviz graph: stages as boxes, featurizers in blue, models in yellow. */
export function explainAsDot(explanation: Explanation): string {
  const view = viewPlan(explanation);
  const owner = new Map(view.inputs.map((input, index) => [input.name, `input${index}`]));
  for (const stage of view.stages) for (const output of stage.outputs) owner.set(output, `stage${stage.number}`);
  const lines = [
    ...view.inputs.map(
      (input, index) => `  input${index} [label=${quote(`${input.name}\\n${input.type}`)}, shape=ellipse];`,
    ),
    ...view.stages.map(stageNode),
    ...view.outputs.map(
      (output, index) => `  output${index} [label=${quote(`${output.name}\\n${output.type}`)}, shape=ellipse];`,
    ),
    ...view.stages.flatMap((stage) =>
      stage.inputs.map((input) => `  ${owner.get(input)} -> stage${stage.number} [label=${quote(input)}];`),
    ),
    ...view.outputs.map((output, index) => `  ${owner.get(output.value)} -> output${index};`),
  ];
  return [
    `digraph ${quote(view.name)} {`,
    '  node [fontname="Helvetica", fontsize=11];',
    '  edge [fontname="Helvetica", fontsize=9];',
    ...lines,
    '}',
  ].join('\n');
}

function stageNode(stage: StageView): string {
  const text = [
    `stage ${stage.number} (${stage.role}) ${stage.key}`,
    ...stage.steps,
    `${stage.engine}, ${printBytes(stage.parameterBytes)}`,
  ];
  return `  stage${stage.number} [label=${quote(`${text.map(escaped).join('\\l')}\\l`)}, shape=box, style=filled, fillcolor="${colours[stage.role]}"];`;
}

const escaped = (text: string) => text.replaceAll('\\', '\\\\');
const quote = (text: string) => `"${text.replaceAll('"', '\\"')}"`;
