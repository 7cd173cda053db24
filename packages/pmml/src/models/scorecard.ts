import type { Flow } from '@brezel/flour';
import { converted } from '../context.js';
import { damaged } from '../errors.js';
import { Graph, type GraphNode, type Weight } from '../graph.js';
import { arithmetic, choose, compare } from '../operands.js';
import { predicateOf, writePredicate } from '../predicate.js';
import { MISSING, type Operand } from '../value.js';
import type { Element } from '../xml/element.js';
import type { ModelReader, ModelUse } from './model.js';
import type { Regression } from './result.js';

/** A characteristic, and what its reason codes need. */
interface Characteristic {
  readonly element: Element;
  readonly attributes: readonly Element[];
  /** The score that the partial score is compared with, if the model has reason codes. */
  readonly baseline: number | undefined;
}

/**
 * Reads a `Scorecard`: the initial score, plus the partial score of the first attribute of each
 * characteristic whose predicate is true. If no attribute is true, there is no prediction.
 * @see Source: PMML 4.4, Scorecard.
 */
export const scorecard: ModelReader = (use) => {
  const { element, context } = use;
  converted(context, 'pmml:Scorecard', element.at);
  const hasReasons = wantsReasons(element);
  const characteristics = readCharacteristics(element, hasReasons);
  const writer = new ScoreWriter(use, characteristics.length, hasReasons);
  const graph = new Graph(context.budget);
  const roots = characteristics.map((one, index) => writeCharacteristic(use, graph, one, index, writer));
  const base = new Array<number>(writer.targets).fill(0);
  base[0] = element.number('initialScore', 0);
  return writer.result(graph.run(roots, base, context.any));
};

/** Whether an output field of a scorecard asks for reason codes. */
function wantsReasons(element: Element): boolean {
  const isUsed = element.choice('useReasonCodes', ['true', 'false'], 'true') === 'true';
  const fields = element.find('Output')?.all('OutputField') ?? [];
  return isUsed && fields.some((field) => field.get('feature') === 'reasonCode');
}

function readCharacteristics(element: Element, hasReasons: boolean): readonly Characteristic[] {
  const characteristics = element.child('Characteristics').all('Characteristic');
  if (characteristics.length === 0) throw damaged(element.at, 'a Characteristic', 'none');
  return characteristics.map((characteristic) => {
    const attributes = characteristic.all('Attribute');
    if (attributes.length === 0) throw damaged(characteristic.at, 'an Attribute', 'none');
    const source = characteristic.has('baselineScore') ? characteristic : element;
    return {
      element: characteristic,
      attributes,
      baseline: hasReasons ? source.number('baselineScore') : undefined,
    };
  });
}

/** Writes the attributes of a characteristic. If none of them is true, the score is missing. */
function writeCharacteristic(
  { context, scope }: ModelUse,
  graph: Graph,
  characteristic: Characteristic,
  index: number,
  writer: ScoreWriter,
): GraphNode {
  let no = graph.leaf([[0, MISSING]]);
  for (const attribute of characteristic.attributes.toReversed()) {
    const yes = graph.leaf(writer.weights(characteristic, index, attribute));
    no = writePredicate({ context, scope, graph }, predicateOf(attribute), { yes, no, unknown: no });
  }
  return no;
}

/** A partial score that is an expression. Its target is 1 in rows that use it. */
interface ComplexScore {
  readonly target: number;
  readonly characteristic: number;
  readonly score: Operand;
}

/**
 * Writes the leaves of a scorecard. Target 0 is the score. With reason codes, each characteristic
 * has a target for the difference from its baseline, and a target for the index of its code.
 */
class ScoreWriter {
  readonly #use: ModelUse;
  readonly #count: number;
  readonly #hasReasons: boolean;
  readonly #sign: number;
  readonly #codes = new Map<string, number>();
  readonly #complex: ComplexScore[] = [];
  #targets: number;

  constructor(use: ModelUse, count: number, hasReasons: boolean) {
    this.#use = use;
    this.#count = count;
    this.#hasReasons = hasReasons;
    const algorithm = use.element.choice('reasonCodeAlgorithm', ['pointsAbove', 'pointsBelow'], 'pointsBelow');
    this.#sign = algorithm === 'pointsAbove' ? 1 : -1;
    this.#targets = hasReasons ? 1 + 2 * count : 1;
  }

  get targets(): number {
    return this.#targets;
  }

  weights({ element, baseline }: Characteristic, index: number, attribute: Element): Weight[] {
    const complex = attribute.find('ComplexPartialScore');
    const partial = complex === undefined ? attribute.number('partialScore') : 0;
    const weights: Weight[] = [[0, partial]];
    if (complex !== undefined) {
      const target = this.#targets++;
      weights.push([target, 1]);
      this.#complex.push({ target, characteristic: index, score: this.#use.number(complex) });
    }
    if (!this.#hasReasons) return weights;
    const code = attribute.get('reasonCode') ?? element.get('reasonCode');
    if (code === undefined) throw damaged(attribute.at, 'a reasonCode of the attribute or the characteristic', 'none');
    weights.push([1 + index, this.#sign * (partial - baseline!)], [1 + this.#count + index, this.#codeIndex(code)]);
    return weights;
  }

  #codeIndex(code: string): number {
    const index = this.#codes.get(code) ?? this.#codes.size;
    this.#codes.set(code, index);
    return index;
  }

  result(answer: Flow<'vector'>): Regression {
    const column = (target: number) => answer.selectColumns([target]);
    const scores = this.#complex.map(({ target, score, characteristic }) => ({
      characteristic,
      score: choose(compare('equal', column(target), 1), score, 0),
    }));
    const value = scores.reduce((sum: Operand, { score }) => arithmetic('add', sum, score), column(0));
    if (!this.#hasReasons) return { kind: 'regression', value };
    const differences = Array.from({ length: this.#count }, (_, index) =>
      scores
        .filter(({ characteristic }) => characteristic === index)
        .reduce(
          (sum: Operand, { score }) => arithmetic('add', sum, arithmetic('multiply', score, this.#sign)),
          column(1 + index),
        ),
    ) as readonly Flow<'vector'>[];
    const [first, ...others] = differences;
    // Of equal differences, the characteristic that comes first in the file is first.
    const order = first!.concat(...others).topK({ k: this.#count }).indices;
    const indexes = Array.from({ length: this.#count }, (_, index) => 1 + this.#count + index);
    const ranks = answer.selectColumns(indexes).gather(order);
    return {
      kind: 'regression',
      value,
      reasons: { codes: [...this.#codes.keys()], ranks, count: this.#count, score: value },
    };
  }
}
