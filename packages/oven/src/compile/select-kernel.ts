import { dtypeOf, type KernelCall, type Step } from '@brezel/core';
import type { KernelBinding, KernelParameter } from '@brezel/flour';
import { lookup } from '@brezel/flour';
import { inJavaScript, kernelUse, operatorNanos, worth } from '../estimate.js';
import { type LogicalNode, nodeOf } from '../logical-plan.js';
import type { RuleContext } from '../rule.js';
import { hashNgram } from './fused/hash-ngram.js';
import { textNgram, wordCharNgram } from './fused/text-ngram.js';
import type { Candidate, FusedKernel, StageDraft } from './stage-draft.js';

const fusedKernels: readonly FusedKernel[] = [textNgram, wordCharNgram, hashNgram];

/** What the parameters of fused kernels are, by the name of the kernel. */
export const fusedParameters: ReadonlyMap<string, readonly string[]> = new Map(
  fusedKernels.map(({ name, parameters }) => [name.replaceAll('-', '_'), parameters]),
);

/** How a stage runs. */
export interface Selection {
  /** Undefined when an operator has no kernel for its use: then the stage runs in JavaScript. */
  readonly calls: KernelCall[] | undefined;
  readonly nanosPerRow: number;
}

/** Kernels for a stage, from its outputs up: a node needs one only if somebody reads its slot. Of those that can run, the best is taken. */
export function selectKernels(draft: StageDraft): Selection {
  const needed = new Set(draft.outputs);
  const chosen: Candidate[] = [];
  for (const node of [...draft.nodes].reverse()) {
    if (!needed.has(node.id)) continue;
    const best = candidatesFor(node, draft).reduce(better, undefined);
    if (best === undefined) return { calls: undefined, nanosPerRow: inJavaScript(sumOf(draft.nodes, draft)) };
    for (const input of best.inputs) needed.add(input);
    chosen.unshift(best);
  }
  return {
    calls: chosen.map((candidate) => callOf(candidate, draft)),
    nanosPerRow: chosen.reduce((sum, { nanosPerRow }) => sum + nanosPerRow, 0),
  };
}

/** Every way to run a node: fused with those before it, or alone. */
function candidatesFor(node: LogicalNode, draft: StageDraft): Candidate[] {
  const fused = fusedKernels.flatMap((kernel) => kernel.canRun(node, draft) ?? []);
  return [...fused, ...ownKernels(node, draft)].filter(
    ({ kernel, inputs }) => kernel === ALIAS || !inputs.some((id) => isLabel(id, draft)),
  );
}

/** The one that covers more operators at what they would cost alone, else the cheaper one; the first of equals. */
function better(best: Candidate | undefined, one: Candidate): Candidate {
  return best === undefined || isBetterThan(one, best) ? one : best;
}

function isBetterThan(one: Candidate, other: Candidate): boolean {
  if (one.covered.length !== other.covered.length) return one.covered.length > other.covered.length;
  return one.nanosPerRow < other.nanosPerRow;
}

/** Re-typing needs no kernel: the runtime gives the output slot the memory of the input. */
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
    .filter((one) => one.canRun(use, node.type))
    .map((one) => candidate({ kernel: one.kernel, ...one.bind(use, node.type) }, worth(one.cost(use, node.type))));
}

function sumOf(nodes: readonly LogicalNode[], { plan, context }: StageDraft): number {
  return nodes.reduce((sum, node) => sum + operatorNanos(node, plan, context), 0);
}

function callOf({ kernel, covered, inputs, attributes, parameters }: Candidate, draft: StageDraft): KernelCall {
  const slot = (id: number) => draft.slots.get(id)!;
  return {
    kernel,
    inputs: inputs.map(slot),
    output: slot(covered.at(-1)!.id),
    parameters: parameters(),
    attributes,
    steps: covered.map((one) => draft.nodes.indexOf(one)),
  };
}

/** A looked-up string is the number of a label in the addon, which no kernel can read as text. */
function isLabel(id: number, draft: StageDraft): boolean {
  const { operator, inputs, type } = nodeOf(draft.plan, id);
  if (operator?.annotations.alias) return isLabel(inputs[0]!, draft);
  return operator === lookup && dtypeOf(type) === 'string';
}

function resolve(parameter: KernelParameter, node: LogicalNode, context: RuleContext): string {
  if (typeof parameter === 'string') return node.parameters[parameter]!;
  const ids = parameter.from.map((name) => node.parameters[name]!);
  return context.derive(parameter.derive, ids, () =>
    parameter.build(Object.fromEntries(parameter.from.map((name, at) => [name, context.parameter(ids[at]!)]))),
  );
}

/** Steps as the plan keeps them. */
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
