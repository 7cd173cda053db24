import type { Answer, AnswerElement } from 'brezel';
import type { DatatypeName } from './datatypes.js';
import { protocolError } from './errors.js';
import { valueJson } from './json-values.js';
import { axesOf, datatypeOf, type OutputPort } from './ports.js';

/** An output of a model in a response: the values of all rows, in row-major order. */
export interface OutputTensor {
  readonly name: string;
  readonly datatype: DatatypeName;
  readonly shape: readonly number[];
  readonly elements: readonly AnswerElement[];
  /**
   * The parameters of the tensor in the response. For an output of type map, `keys` has the keys of
   * the map as a JSON list, in the order of the elements. Other outputs have no parameters.
   */
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Returns the outputs that a request names, or all outputs if it names none. Call the function
 * before the prediction, so that an unknown output costs no prediction.
 * @throws a ProtocolError of kind TENSOR for an output that the model does not have.
 */
export function requestedPorts(
  outputs: readonly { readonly name: string }[] | undefined,
  ports: readonly OutputPort[],
): readonly OutputPort[] {
  if (outputs === undefined) return ports;
  return outputs.map(({ name }) => {
    const port = ports.find((candidate) => candidate.name === name);
    if (port !== undefined) return port;
    const expected = `the outputs ${ports.map((one) => `"${one.name}"`).join(', ')}`;
    throw protocolError('TENSOR', { expected, received: JSON.stringify(name.slice(0, 100)) });
  });
}

/** Joins the answers to all rows into the tensor of one output. */
export function outputTensor(port: OutputPort, answers: readonly Answer[]): OutputTensor {
  const { name, type } = port;
  const parameters: Readonly<Record<string, string>> = type.kind === 'map' ? { keys: JSON.stringify(type.keys) } : {};
  return { name, datatype: datatypeOf(type), parameters, ...elementsOf(port, answers) };
}

function elementsOf(
  { name, type }: OutputPort,
  answers: readonly Answer[],
): { readonly elements: readonly AnswerElement[]; readonly shape: readonly number[] } {
  const values = answers.map((answer) => answer[name]!);
  const shape = [answers.length, ...axesOf(type)];
  if (type.kind === 'scalar') return { elements: values as readonly AnswerElement[], shape };
  if (type.kind === 'dictionary') return { elements: values.map((value) => valueJson(value, true)), shape };
  if (type.kind === 'map')
    return {
      elements: values.flatMap((value) => type.keys.map((key) => (value as Record<string, number>)[key]!)),
      shape,
    };
  if (type.kind === 'tokens') {
    const lists = values as readonly (readonly string[])[];
    const most = lists.reduce((length, list) => Math.max(length, list.length), 0);
    const padded = lists.flatMap((list) => [...list, ...new Array<string>(most - list.length).fill('')]);
    return { elements: padded, shape: [answers.length, most] };
  }
  const depth = type.kind === 'tensor' ? type.shape.length : 1;
  return { elements: (values as readonly unknown[]).flat(depth) as AnswerElement[], shape };
}
