import { countLinear, Flow, float32, linear, numbersOf } from '@brezel/flour';
import type { RowNode } from '../rows/row-node.js';
import { type RowValue, rowValue } from '../rows/value.js';
import { constantOf, type Graph, operandsOf, producedBy } from './graph.js';

/**
 * Recognizes a matrix product followed by an addition of constants as one linear model. Exporters
 * write the layers of perceptrons and multinomial naive Bayes this way. The bias is added to the
 * same float32 sum, so answers have the same bits. The sum of naive Bayes stays in float32 too, as
 * in the file. For log likelihoods beyond 1000, float32 has only three decimals, so probabilities
 * differ from the training library.
 */
export function recognizeLinear(node: RowNode, graph: Graph): RowValue | undefined {
  const [added, value] = operandsOf(node, 'Add', (operand) => constantOf(operand) !== undefined);
  const product = producedBy(graph.producer(value), 'MatMul');
  if (product === undefined || value?.kind !== 'row' || graph.users(product).join() !== 'Add') return undefined;
  const bias = constantOf(added);
  const { operator, inputs, attributes, parameters } = value.flow.node;
  const isLinear = operator === linear || operator === countLinear;
  const outputs = value.dims?.length === 2 ? value.dims[1]! : 0;
  if (!isLinear || inputs.length !== 1 || value.batch.axis !== 0 || bias?.dtype !== 'float32') return undefined;
  if (bias.data.length !== outputs || bias.shape.at(-1) !== outputs || bias.shape.length > 2) return undefined;
  const { context } = value.flow;
  if (numbersOf(context.store.get(parameters.bias!.id)).some((value) => value !== 0)) return undefined;
  const flow = context.apply<'vector'>(operator, [new Flow(context, inputs[0]!)], {
    attributes,
    // Adding 0 to the bias turns -0 into 0, because the file adds the bias to a sum that starts at
    // 0.
    parameters: { ...parameters, bias: float32(bias.data.map((value) => value + 0)) },
  });
  return rowValue(flow);
}
