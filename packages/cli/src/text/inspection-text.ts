import { blackBoxReasons } from '@brezel/core';
import pc from 'picocolors';
import type { BlackBoxFacts, FileFacts, FleetFacts, ModelFacts, PortFacts, SharedStage } from '../inspection.js';
import { columns, count, printable, printBytes } from './table.js';

const { bold, dim, yellow } = pc.createColors(pc.isColorSupported && process.stdout.isTTY === true);

/**
 * Formats models for people. Equal models with different names are printed once, with all their
 * names.
 */
export function modelsText(models: readonly ModelFacts[]): string {
  const alike = new Map<string, ModelFacts[]>();
  for (const facts of models) {
    const text = facetsText(facts);
    alike.set(text, [...(alike.get(text) ?? []), facts]);
  }
  return [...alike].map(([text, group]) => `${headingsText(group)}${text}\n`).join('\n');
}

/** The largest number of names that are printed for equal models. */
const SHOWN_NAMES = 12;

function headingsText(group: readonly ModelFacts[]): string {
  const shown = group.length > SHOWN_NAMES ? group.slice(0, SHOWN_NAMES - 1) : group;
  const more = group.length - shown.length;
  return `${shown.map(headingText).join('')}${more > 0 ? `and ${more} more\n` : ''}`;
}

const headingText = ({ file, fileBytes }: ModelFacts) =>
  `${bold(printable(file))}${fileBytes === undefined ? '' : `  ${printBytes(fileBytes)}`}\n`;

function facetsText({ opsets, operators, parameters, ...facts }: ModelFacts): string {
  const facets: [string, string][] = [
    [
      'producer',
      `${printable(facts.producer) || 'unknown'}${facts.irVersion === undefined ? '' : `, IR version ${facts.irVersion}`}`,
    ],
    ...opsetFacet(opsets),
    ...ports('input', facts.inputs),
    ...ports('output', facts.outputs),
    ...Object.entries(operators).map(([name, number], index): [string, string] => [
      index === 0 ? 'operators' : '',
      `${printable(name)}${number > 1 ? dim(` x ${number}`) : ''}`,
    ]),
    ...programFacets(facts),
    ['parameters', `${count(parameters.objects, 'object')}, ${printBytes(parameters.bytes)}`],
    ...(facts.conversions ?? []).flatMap(conversionFacets),
    ...facts.warnings.map((warning): [string, string] => [yellow('warning'), printable(warning)]),
  ];
  return columns(facets);
}

function programFacets({
  kind,
  why,
  nodes = 0,
  kernelNodes = 0,
  blackBoxes = [],
  stages,
  engine,
}: Pick<ModelFacts, 'kind' | 'why' | 'nodes' | 'kernelNodes' | 'blackBoxes' | 'stages' | 'engine'>): [
  string,
  string,
][] {
  if (kind === 'row') {
    return [
      ['program', 'row by row'],
      ['plan', `${count(stages, 'stage')}, ${places[engine]}`],
      ...blackBoxes.flatMap(blackBoxFacets),
    ];
  }
  return [
    ['program', `over whole tensors, ${count(nodes, 'node')}, in JavaScript${shownKernels(kernelNodes)}`],
    ['reason', `not row by row: ${printable(why ?? '')}`],
    ...blackBoxes.flatMap(blackBoxFacets),
  ];
}

/**
 * Describes how a node was converted: a line with the strategy that converted the node, and a line
 * for each strategy that could not convert it, with the reason.
 */
const conversionFacets = ({
  node,
  strategy,
  tried,
}: NonNullable<ModelFacts['conversions']>[number]): [string, string][] => [
  ['node', `${printable(node)}: ${strategy}`],
  ...tried.map((attempt): [string, string] => ['', dim(`not ${attempt.strategy}: ${printable(attempt.reason)}`)]),
];

const shownKernels = (nodes: number): string => (nodes > 0 ? `, ${nodes} with kernels in the addon` : '');

/**
 * Formats a black box: its number of nodes, its inputs and outputs, and the reasons why another
 * runtime runs the nodes. Nodes with the same reason share a line.
 */
function blackBoxFacets({ nodes, inputs, outputs }: BlackBoxFacts, number: number): [string, string][] {
  return [
    [
      'black box',
      `${number}: ${count(nodes.length, 'node')} in a backend, ${shownNames(inputs)} -> ${shownNames(outputs)}`,
    ],
    ...blackBoxReasons(nodes).map(({ reason, names }): [string, string] => [
      '',
      `${shownNames(names)}, ${printable(reason)}`,
    ]),
  ];
}

const shownNames = (names: readonly string[]): string => {
  const shown = names.slice(0, SHOWN_NAMES).map((name) => printable(name));
  return `${shown.join(', ') || 'nothing'}${names.length > SHOWN_NAMES ? ` and ${names.length - SHOWN_NAMES} more` : ''}`;
};

const places = {
  native: 'native',
  wasm: 'in WebAssembly',
  mixed: 'in kernels and in JavaScript',
  javascript: 'in JavaScript',
} as const;

const opsetFacet = (opsets: ModelFacts['opsets']): [string, string][] =>
  opsets === undefined
    ? []
    : [
        [
          'opsets',
          Object.entries(opsets)
            .map(([domain, version]) => `${printable(domain)} ${version}`)
            .join(', '),
        ],
      ];

const ports = (what: string, list: readonly PortFacts[]) =>
  list.map(({ name, type }): [string, string] => [what, `${printable(name)} : ${printable(type)}`]);

/** Formats for people what `inspect` reports about a fleet file. */
export function fileText({ file, bytes, ...parts }: FileFacts): string {
  const facts = columns([
    ['plans', `${parts.plans}`],
    ['stages', `${parts.stages}, ${count(parts.programs, 'program')}, ${count(parts.shapes, 'shape')}`],
    ['parameters', `${count(parts.parameters, 'object')}, ${printBytes(parts.parameterBytes)}`],
    ['manifest', printBytes(parts.manifestBytes)],
  ]);
  return `${bold(printable(file))}  ${printBytes(bytes)}\n${facts}\n`;
}

/** Formats for people what several models share. */
export function fleetText({ models, stages, parameters, sharedStages }: FleetFacts): string {
  const saved = parameters.unsharedBytes === 0 ? 0 : (100 * parameters.savedBytes) / parameters.unsharedBytes;
  const facts = columns([
    ['parameters', `${printBytes(parameters.bytes)} in ${count(parameters.objects, 'object')}, each stored once`],
    [
      'not shared',
      `${printBytes(parameters.unsharedBytes)}; sharing saves ${printBytes(parameters.savedBytes)} (${saved.toFixed(0)} %)`,
    ],
    ['stages', `${stages.distinct} distinct, used ${stages.used} times`],
  ]);
  const heading = bold(`${count(models, 'model')} together`);
  if (sharedStages.length === 0) return `${heading}\n${facts}\n  no shared stage\n`;
  return `${heading}\n${facts}\n\n${bold('Shared stages')}\n${columns(sharedStages.map(stageRow))}\n`;
}

const stageRow = ({ key, role, operators, parameterBytes, models }: SharedStage) => [
  key,
  role,
  printBytes(parameterBytes),
  `by ${count(models, 'model')}`,
  dim(operators.join(', ')),
];
