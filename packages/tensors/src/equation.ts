import type { TensorCall } from './define.js';

/**
 * Labels of the axes of each operand and of the result. An axis of the ellipsis has a number as its
 * label: its position, counted from the last axis.
 */
export interface Equation {
  readonly operands: readonly (readonly string[])[];
  readonly result: readonly string[];
}

const TERM = /^([A-Za-z]*)(?:(\.\.\.)([A-Za-z]*))?$/;

/**
 * Parses an equation of Einsum, for example `bij, bjk -> bik`. Without `->`, the result has the
 * ellipsis axes, then the labels that occur once, in alphabetical order.
 */
export function parseEquation(equation: string, ranks: readonly number[], call: Pick<TensorCall, 'fault'>): Equation {
  const [inputs = '', output, ...rest] = equation.replaceAll(/\s/g, '').split('->');
  const terms = inputs.split(',');
  if (rest.length > 0 || terms.length !== ranks.length)
    throw call.fault(
      `the equation '${equation}' with ${terms.length} terms for ${ranks.length} inputs`,
      "an equation with one term per input, such as 'ij,jk->ik'",
    );
  const operands = terms.map((term, index) => labelsOf(term, ranks[index]!, call));
  const around = Math.max(0, ...operands.map((labels) => labels.filter(isNumbered).length));
  if (output === undefined) return { operands, result: implicitResult(operands, around) };
  const found = TERM.exec(output);
  const named = operands.flat();
  const result = found === null ? [] : [...found[1]!, ...(found[2] ? ellipsis(around) : []), ...(found[3] ?? '')];
  if (found === null || new Set(result).size !== result.length || result.some((label) => !named.includes(label)))
    throw call.fault(
      `the result '${output}' of the equation '${equation}'`,
      'a result that names labels of the inputs, each once',
    );
  return { operands, result };
}

const isNumbered = (label: string): boolean => label >= '0' && label <= '9~';
const ellipsis = (count: number): string[] => Array.from({ length: count }, (_, at) => `${count - 1 - at}`);

function labelsOf(term: string, rank: number, call: Pick<TensorCall, 'fault'>): string[] {
  const found = TERM.exec(term);
  const letters = found === null ? 0 : found[1]!.length + (found[3]?.length ?? 0);
  if (found === null || (found[2] ? letters > rank : letters !== rank))
    throw call.fault(`the term '${term}' for a tensor of ${rank} axes`, 'one letter per axis in each term');
  return [...found[1]!, ...(found[2] ? ellipsis(rank - letters) : []), ...(found[3] ?? '')];
}

function implicitResult(operands: Equation['operands'], around: number): string[] {
  const labels = operands.flat().filter((label) => !isNumbered(label));
  const once = labels.filter((label) => labels.indexOf(label) === labels.lastIndexOf(label));
  return [...ellipsis(around), ...once.sort()];
}
