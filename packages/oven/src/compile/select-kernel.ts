import type { KernelCall, Step } from '@brezel/core';
import type { KernelBinding, KernelParameter } from '@brezel/flour';
import { useOf } from '../infer.js';
import type { LogicalNode } from '../logical-plan.js';
import type { RuleContext } from '../rule.js';
import { textNgram } from './fused/text-ngram.js';
import type { FusedKernel, StageDraft } from './stage-draft.js';

const fusedKernels: readonly FusedKernel[] = [textNgram];

/**
 * Kernel calls for a stage, from its outputs up: a node needs a call only if somebody reads its slot. Undefined when an operator has no kernel
 * for this use: then the stage runs in JavaScript.
 */
export function selectKernels(draft: StageDraft): KernelCall[] | undefined {
  const needed = new Set(draft.outputs);
  const calls: KernelCall[] = [];
  for (const node of [...draft.nodes].reverse()) {
    if (!needed.has(node.id)) continue;
    const call = callFor(node, draft);
    if (call === undefined) return undefined;
    for (const input of call.reads) needed.add(input);
    calls.unshift(call.call);
  }
  return calls;
}

function callFor(node: LogicalNode, draft: StageDraft): { call: KernelCall; reads: readonly number[] } | undefined {
  const slot = (id: number) => draft.slots.get(id)!;
  const step = (one: LogicalNode) => draft.nodes.indexOf(one);
  for (const fused of fusedKernels) {
    const match = fused.canRun(node, draft);
    if (match === undefined) continue;
    const { kernel, inputs, parameters, attributes } = match.binding;
    return {
      call: {
        kernel,
        inputs: inputs.map(slot),
        output: slot(node.id),
        parameters,
        attributes,
        steps: match.covered.map(step),
      },
      reads: inputs,
    };
  }
  const binding = bindingOf(node, draft);
  if (binding === undefined) return undefined;
  const parameters = (binding.parameters ?? []).map((parameter) => resolve(parameter, node, draft.context));
  const call = {
    kernel: binding.kernel,
    inputs: node.inputs.map(slot),
    output: slot(node.id),
    parameters,
    attributes: binding.attributes ?? [],
  };
  return { call: { ...call, steps: [step(node)] }, reads: node.inputs };
}

/** Re-typing needs no kernel: the runtime gives the output slot the memory of the input. */
export const ALIAS = 'alias';

function bindingOf(node: LogicalNode, draft: StageDraft): KernelBinding | undefined {
  if (node.operator!.annotations.alias) return { kernel: ALIAS };
  return node.operator!.kernel?.(useOf(node, draft.plan, draft.context), node.type);
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
