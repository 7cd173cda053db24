import { flowOf } from '../context.js';
import { damaged } from '../errors.js';
import { readInterval, testInterval } from '../fields/interval.js';
import { Graph } from '../graph.js';
import { constantOf, MISSING, typeOf, type Value } from '../value.js';
import type { Element } from '../xml/element.js';
import type { ExpressionUse } from './expression-use.js';

/** Returns the type of the results that an element lists as texts. */
export function resultType({ type }: ExpressionUse, element: Element): Pick<Value, 'type' | 'isFloat'> {
  const dataType = element.get('dataType');
  return {
    type: dataType === undefined ? (type ?? 'string') : typeOf(dataType, element.at),
    isFloat: dataType === 'float',
  };
}

/** Returns the strings that an element with these results may have. */
export const textsOf = (element: Element, results: readonly string[]): readonly string[] =>
  [...results, element.get('defaultValue'), element.get('mapMissingTo')].filter((text) => text !== undefined);

/** Converts `Discretize`: the value of the first bin whose interval contains a number. */
export function discretize(use: ExpressionUse, element: Element): Value {
  const { context, scope } = use;
  const { type, operand: given } = scope.field(element.required('field'), element.at);
  if (type === 'string') throw damaged(element.at, 'a numeric field', 'a string');
  const result = resultType(use, element);
  const graph = new Graph(context.budget);
  const leafOf = (text: string | undefined, at: string) =>
    graph.leaf([[0, text === undefined ? MISSING : constantOf(result, text, context.names, at)]]);
  const missing = leafOf(element.get('mapMissingTo'), element.at);
  let node = leafOf(element.get('defaultValue'), element.at);
  const operand = flowOf(context, given);
  for (const bin of element.all('DiscretizeBin').toReversed())
    node = testInterval(
      graph,
      operand,
      readInterval(bin.child('Interval')),
      leafOf(bin.required('binValue'), bin.at),
      node,
    );
  const texts = textsOf(
    element,
    element.all('DiscretizeBin').map((bin) => bin.required('binValue')),
  );
  return { ...result, texts, operand: graph.run([graph.isMissing(operand, missing, node)], [0], operand) };
}
