import { dtypeOf, type KernelCall, type Step } from '@brezel/core';
import type { KernelBinding, KernelParameter } from '@brezel/flour';
import { lookup } from '@brezel/flour';
import { inJavaScript, kernelUse, operatorNanos, worth } from '../estimate.js';
import type { LogicalNode } from '../logical-plan.js';
import { oncePer } from '../plan-index.js';
import type { RuleContext } from '../rule.js';
import { hashNgram } from './fused/hash-ngram.js';
import { textNgram, wordCharNgram } from './fused/text-ngram.js';
import type { Candidate, FusedKernel, StageDraft } from './stage-draft.js';

const fusedKernels: readonly FusedKernel[] = [textNgram, wordCharNgram, hashNgram];

/** For each fused kernel, descriptions of its parameters for EXPLAIN. */
export const fusedParameters: ReadonlyMap<string, readonly string[]> = new Map(
  fusedKernels.map(({ name, parameters }) => [name.replaceAll('-', '_'), parameters]),
);

/** The kernel calls that Oven has selected for a stage, and their estimated cost. */
export interface Selection {
  /**
   * Undefined if an operator has no kernel that supports this use. The stage then runs in
   * JavaScript.
   */
  readonly calls: KernelCall[] | undefined;
  readonly nanosPerRow: number;
}

/**
 * Selects kernels for a stage, from its outputs to its inputs. A node needs a kernel only if
 * another selected kernel or another stage reads its result. If several kernels can run a node,
 * `better` chooses one.
 */
export function selectKernels(draft: StageDraft): Selection {
  const needed = new Set(draft.outputs);
  const chosen: Candidate[] = [];
  for (const node of [...draft.nodes].reverse()) {
    if (!needed.has(node.id)) continue;
    const best = candidatesFor(node, draft).reduce(better, undefined);
    if (best === undefined) return { calls: undefined, nanosPerRow: inJavaScript(sumOf(draft.nodes, draft)) };
    for (const input of best.inputs) needed.add(input);
    chosen.push(best);
  }
  chosen.reverse();
  return {
    calls: chosen.map((candidate) => callOf(candidate, draft)),
    nanosPerRow: chosen.reduce((sum, { nanosPerRow }) => sum + nanosPerRow, 0),
  };
}

/** Returns every way to run a node: alone, or fused with preceding nodes. */
export function candidatesFor(node: LogicalNode, draft: StageDraft): Candidate[] {
  const fused = fusedKernels.flatMap((kernel) => kernel.canRun(node, draft) ?? []);
  return [...fused, ...ownKernels(node, draft)].filter(
    ({ kernel, inputs }) => kernel === ALIAS || !inputs.some((id) => isLabel(id, draft)),
  );
}

/**
 * Returns the candidate that runs more operators. Of two candidates with the same number of
 * operators, returns the cheaper one, or `best` if both have the same cost.
 */
function better(best: Candidate | undefined, candidate: Candidate): Candidate {
  return best === undefined || isBetterThan(candidate, best) ? candidate : best;
}

function isBetterThan(candidate: Candidate, other: Candidate): boolean {
  if (candidate.covered.length !== other.covered.length) return candidate.covered.length > other.covered.length;
  return candidate.nanosPerRow < other.nanosPerRow;
}

/**
 * The kernel name of an operator that only changes a type. It runs no kernel: the output slot
 * shares the memory of the input slot.
 */
export const ALIAS = 'alias';

function ownKernels(node: LogicalNode, draft: StageDraft): Candidate[] {
  const { operator } = node;
  const use = kernelUse(node, draft.plan, draft.context);
  const candidate = (binding: KernelBinding, nanosPerRow: number): Candidate => ({
    kernel: binding.kernel,
    covered: [node],
    inputs: node.inputs,
    attributes: binding.attributes ?? [],
    nanosPerRow,
    parameters: () => (binding.parameters ?? []).map((parameter) => resolve(parameter, node, draft.context)),
  });
  if (operator!.annotations.alias) return [candidate({ kernel: ALIAS }, 0)];
  if (operator!.kernels === undefined) {
    const binding = operator!.kernel?.(use, node.type);
    return binding === undefined ? [] : [candidate(binding, operatorNanos(node, draft.plan, draft.context))];
  }
  return operator!.kernels
    .filter((kernel) => kernel.canRun(use, node.type))
    .map((kernel) =>
      candidate({ kernel: kernel.kernel, ...kernel.bind(use, node.type) }, worth(kernel.cost(use, node.type))),
    );
}

function sumOf(nodes: readonly LogicalNode[], { plan, context }: StageDraft): number {
  return nodes.reduce((sum, node) => sum + operatorNanos(node, plan, context), 0);
}

/** Returns the kernel call of a candidate that was selected, and derives its parameters. */
export function callOf({ kernel, covered, inputs, attributes, parameters }: Candidate, draft: StageDraft): KernelCall {
  const slot = (id: number) => draft.slots.get(id)!;
  return {
    kernel,
    inputs: inputs.map(slot),
    output: slot(covered.at(-1)!.id),
    parameters: parameters(),
    attributes,
    steps: covered.map(({ id }) => draft.positions.get(id)!),
  };
}

/**
 * Returns whether a value is a label from a lookup table. In the addon, such a value is an index
 * into the table, so no kernel can read it as text.
 */
export function isLabel(id: number, draft: StageDraft): boolean {
  return labels(draft.plan).has(id);
}

/** Ids of the values that are labels from lookup tables. */
const labels = oncePer('nodes', ({ nodes }): ReadonlySet<number> => {
  const found = new Set<number>();
  for (const { id, operator, inputs, type } of nodes) {
    const isLookup = operator === lookup && dtypeOf(type) === 'string';
    if (operator?.annotations.alias ? found.has(inputs[0]!) : isLookup) found.add(id);
  }
  return found;
});

function resolve(parameter: KernelParameter, node: LogicalNode, context: RuleContext): string {
  if (typeof parameter === 'string') return node.parameters[parameter]!;
  const ids = parameter.from.map((name) => node.parameters[name]!);
  return context.derive(parameter.derive, ids, () =>
    parameter.build(Object.fromEntries(parameter.from.map((name, index) => [name, context.parameter(ids[index]!)]))),
  );
}

/**
 * Returns the operators of a stage as a compiled plan stores them, with slots instead of node ids.
 */
export function stepsOf(draft: StageDraft): Step[] {
  return draft.nodes.map((node) => ({
    operator: node.operator!.name,
    version: node.operator!.version,
    attributes: node.attributes,
    parameters: node.parameters,
    inputs: node.inputs.map((input) => draft.slots.get(input)!),
    type: node.type,
  }));
}
