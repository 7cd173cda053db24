import type { Block, KernelTable, OutputPort } from '@brezel/core';
import { explainError, inRules } from './errors.js';
import type { PlanNode, PlanValues, RowBlocks } from './plan-values.js';

/** Options that select the element of an answer to explain. */
export interface AnswerElementChoice {
  /**
   * Name of the output. Default: the first output with one number per class; if there is none, the
   * first output.
   */
  readonly output?: string | undefined;
  /**
   * Index of the element, or the key of a map. Default: the element with the greatest number.
   */
  readonly class?: number | string | undefined;
}

/**
 * The raw score from which an element of an answer is computed. The score is the element with the
 * index `element` in the value with the number `value` (see `PlanNode`).
 */
export interface ScoreTarget {
  readonly value: number;
  readonly element: number;
  /** -1 if the element becomes smaller when the score becomes larger. */
  readonly sign: 1 | -1;
  /** The names of the link functions between score and answer, starting at the answer. */
  readonly links: readonly string[];
}

/** Returns the output to explain. */
export function chosenOutput(outputs: readonly OutputPort[], { output }: AnswerElementChoice): OutputPort {
  const port =
    output === undefined
      ? (outputs.find(({ type }) => type.kind === 'map' || (type.kind === 'vector' && type.size > 1)) ?? outputs[0]!)
      : outputs.find(({ name }) => name === output);
  if (port !== undefined) return port;
  const expected = outputs.map(({ name }) => name).join(', ');
  throw explainError('ERR_EXPLAIN_OUTPUT', { expected, received: JSON.stringify(output), at: 'output' });
}

/** Returns the index of the element to explain. */
export function chosenElement({ name, type }: OutputPort, block: Block, { class: one }: AnswerElementChoice): number {
  const size = 'size' in block ? block.size : 1;
  const fail = (expected: string) =>
    explainError('ERR_EXPLAIN_OUTPUT', { expected, received: JSON.stringify(one), at: `class of output "${name}"` });
  if (typeof one === 'string') {
    const keys = type.kind === 'map' ? type.keys : [];
    const index = keys.indexOf(one);
    if (index < 0) throw fail(keys.length === 0 ? `an index below ${size}` : `a key: ${keys.slice(0, 8).join(', ')}`);
    return index;
  }
  if (one !== undefined) {
    if (!(Number.isInteger(one) && one >= 0 && one < size)) throw fail(`an index below ${size}`);
    return one;
  }
  return greatest(block);
}

/**
 * Returns the index of the greatest number, or of the first greatest number if several are equal.
 * NaN is never the greatest.
 */
function greatest(block: Block): number {
  if (block.kind !== 'dense' && block.kind !== 'sparse') return 0;
  let best = 0;
  let most: number | undefined;
  for (let at = 0; at < block.values.length; at++) {
    const value = Number(block.values[at]);
    if (Number.isNaN(value) || (most !== undefined && value <= most)) continue;
    best = block.kind === 'sparse' ? block.ids[at]! : at;
    most = value;
  }
  return best;
}

/** A link function between a score and an answer. */
interface Link extends Omit<ScoreTarget, 'links'> {
  readonly name: string | undefined;
  readonly isLoose: boolean;
}

/**
 * Finds the raw score from which an element of an answer is computed. The function goes from the
 * answer back to the score, through functions such as a sigmoid or the choice of a label.
 */
export function scoreTarget(
  plan: PlanValues,
  kernels: KernelTable,
  values: RowBlocks,
  value: number,
  element: number,
): ScoreTarget {
  const path: Link[] = [{ value, element, sign: 1, name: undefined, isLoose: false }];
  for (let link: Link | undefined = path[0]; link !== undefined; link = linkBehind(plan, kernels, values, path.at(-1)!))
    if (link !== path[0]) path.push(link);
  // A step such as a complement (1 - x) or a norm is a link only if a link function, such as a
  // sigmoid, computes its input. Otherwise the result of the step is the score.
  while (path.at(-1)!.isLoose) path.pop();
  const links = path.flatMap(({ name }) => name ?? []);
  return { ...path.at(-1)!, links };
}

function linkBehind(
  plan: PlanValues,
  kernels: KernelTable,
  values: RowBlocks,
  { value, element, sign }: Link,
): Link | undefined {
  const node = plan.producer(value);
  if (node === undefined || node.inputs.length !== 1) return undefined;
  const step = inRules(node, () => rulesOf(kernels, node)?.link?.({ ...plan.call(node, values), element }));
  return (
    step && {
      value: node.inputs[0]!,
      element: step.element,
      sign: (sign * step.sign) as 1 | -1,
      name: step.name,
      isLoose: step.isLoose ?? false,
    }
  );
}

export const rulesOf = (kernels: KernelTable, { step }: PlanNode) =>
  kernels.contributions?.(step.operator, step.version);
