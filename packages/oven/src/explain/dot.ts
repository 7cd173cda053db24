import { type Drawing, type DrawnEdge, type DrawnModel, type DrawnStage, mergePlans } from './drawing.js';
import type { Explanation } from './explanation.js';
import { placeWords } from './placement.js';
import { viewPlans } from './plan-view.js';
import { count, partOfModels, percent, printable, printBytes, printTime } from './words.js';

const colours = { featurizer: '#dcebf7', model: '#fdeeda' } as const;

/**
 * Formats EXPLAIN as a Graphviz graph. Stages are boxes: featurizers are blue, models are orange. A
 * stage that several models share appears once, with two outlines.
 */
export function explainAsDot(explanations: readonly Explanation[]): string {
  const drawing = mergePlans(viewPlans(explanations));
  const outputs = new Map(drawing.stages.map((stage) => [stage.id, stage.outputs]));
  return [
    `digraph ${quote(lines(drawing.name))} {`,
    '  node [fontname="Helvetica", fontsize=11];',
    '  edge [fontname="Helvetica", fontsize=9];',
    ...drawing.inputs.map(({ id, name, type }) => `  ${id} [label=${quote(lines(name, type))}, shape=ellipse];`),
    ...drawing.stages.map((stage) => stageNode(stage, drawing)),
    ...drawing.models.map((model) => modelNode(model)),
    ...drawing.edges.map((edge) => edgeLine(edge, outputs.get(edge.from)?.[edge.output])),
    '}',
  ].join('\n');
}

function stageNode({ id, view, title, users }: DrawnStage, { models }: Drawing): string {
  const text = [
    `${title}  ${view.key}`,
    ...(users.length > 1 ? [`shared by ${partOfModels(users.length, models.length)}`] : []),
    ...view.steps.map((step) => `${step.operator}${step.summary === '' ? '' : `  ${step.summary}`}`),
    `${view.engine}, ${count(view.parameters.length, 'parameter')}, ${printBytes(view.parameterBytes)}`,
    ...(view.placement ? [`on the ${placeWords(view.placement)}`] : []),
    ...(view.measured ? [`${printTime(view.measured.nanoseconds.median)} a row, ${percent(view.measured.share)}`] : []),
  ];
  const outlines = users.length > 1 ? ', peripheries=2' : '';
  return `  ${id} [label=${quote(text.map((line) => `${escaped(line)}\\l`).join(''))}, shape=box, style=filled, fillcolor="${colours[view.role]}"${outlines}];`;
}

function modelNode({ id, name, outputs, measured }: DrawnModel): string {
  const time = measured ? [`${printTime(measured.total.median)} a row`] : [];
  const text = [name, ...outputs.map((output) => `${output.name} : ${output.type}`), ...time];
  return `  ${id} [label=${quote(lines(...text))}, shape=ellipse];`;
}

/**
 * Formats an edge with the type of its value as a label. Edges from inputs have no label, because
 * the boxes of inputs show the type.
 */
function edgeLine({ from, to }: DrawnEdge, type: string | undefined): string {
  return `  ${from} -> ${to}${type === undefined ? '' : ` [label=${quote(lines(type))}]`};`;
}

/** Joins the lines of a label with the Graphviz escape that centers each line. */
const lines = (...texts: readonly string[]) => texts.map(escaped).join('\\n');
const escaped = (text: string) => printable(text).replaceAll('\\', '\\\\');
const quote = (text: string) => `"${text.replaceAll('"', '\\"')}"`;
