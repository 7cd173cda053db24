import { onnxError } from '../errors.js';
import { onnxArities } from './onnx-table.js';

// The number of inputs and outputs of a node, from the schema of its operator.

/**
 * How many inputs and outputs an operator has, for operators that ONNX does not document: operators
 * of onnxruntime, and experimental operators of old files.
 */
const otherArities: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '': {
    Affine: '1: 1 1',
    Crop: '1: 1 1',
    DynamicSlice: '1: 3..4 1',
    ImageScaler: '1: 1 1',
    ParametricSoftplus: '1: 1 1',
    Scale: '1: 1 1',
    ScaledTanh: '1: 1 1',
    SimplifiedLayerNormalization: '1: 2 1..2',
  },
  'com.microsoft': {
    Attention: '1: 2..7 1..3',
    BiasGelu: '1: 2 1',
    CDist: '1: 2 1',
    DequantizeLinear: '1: 2..3 1',
    DynamicQuantizeMatMul: '1: 3..5 1',
    EmbedLayerNormalization: '1: 7..9 2..3 ?1 ?4',
    FastGelu: '1: 1..2 1',
    FusedGemm: '1: 2..3 1',
    FusedMatMul: '1: 2 1',
    Gelu: '1: 1 1',
    MatMulIntegerToFloat: '1: 4..7 1',
    MatMulNBits: '1: 3..6 1',
    MultiHeadAttention: '1: 1..10 1..4',
    MurmurHash3: '1: 1 1',
    QLinearAdd: '1: 7..8 1 ?2 ?5',
    QLinearMul: '1: 7..8 1 ?2 ?5',
    QuantizeLinear: '1: 2..3 1',
    QuickGelu: '1: 1 1',
    SkipLayerNormalization: '1: 3..5 1..4',
    SkipSimplifiedLayerNormalization: '1: 3..4 1..4',
    Tokenizer: '1: 1 1',
    TransposeMatMul: '1: 2 1',
    Trilu: '1: 1..2 1',
  },
};

interface Range {
  readonly least: number;
  readonly most: number;
}

interface Arity {
  readonly inputs: Range;
  readonly outputs: Range;
  /** Indexes of the inputs that may be omitted although a later input is required. */
  readonly optional: ReadonlySet<number>;
}

/**
 * The arities of one operator. An entry is valid from the version `since` up to the version of the
 * next entry. Versions are in ascending order.
 */
type Versions = readonly { readonly since: number; readonly arity: Arity }[];

const operators = new Map<string, Versions>();
for (const table of [onnxArities, otherArities] as const)
  for (const [domain, entries] of Object.entries(table))
    for (const [operator, text] of Object.entries(entries)) operators.set(`${domain}:${operator}`, versionsOf(text));

function versionsOf(text: string): Versions {
  return text.split('; ').map((version) => {
    const [since, inputs, outputs, ...optional] = version.split(/:? /) as [string, string, string, ...string[]];
    const arity = {
      inputs: rangeOf(inputs),
      outputs: rangeOf(outputs),
      optional: new Set(optional.map((port) => Number(port.slice(1)))),
    };
    return { since: Number(since), arity };
  });
}

function rangeOf(text: string): Range {
  const [least, most] = text.split('..') as [string, string?];
  return { least: Number(least), most: most === undefined ? Number(least) : most === '' ? Infinity : Number(most) };
}

/**
 * Returns how many inputs and outputs an operator has in a version of its operator set. Returns
 * undefined for an unknown operator.
 */
export function arityOf(domain: string, operator: string, opset: number): Arity | undefined {
  const versions = operators.get(`${domain}:${operator}`);
  // A few old files declare version 1 and use an operator of a later version.
  return versions && (versions.findLast(({ since }) => since <= opset) ?? versions[0])!.arity;
}

/** The fields of a node that an arity check reads. */
export interface NodePorts {
  readonly domain: string;
  readonly operator: string;
  readonly opset: number;
  /** Names of the inputs. An empty name means that the input is omitted. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly at: string;
}

/**
 * Checks the number of inputs and outputs of a node.
 * @throws ERR_ONNX_GRAPH for a node with too few or too many inputs or outputs, or without a
 * required input.
 */
export function checkArity({ domain, operator, opset, inputs, outputs, at }: NodePorts): void {
  const arity = arityOf(domain, operator, opset);
  if (arity === undefined) return;
  checkCount(inputs.length, arity.inputs, 'input', operator, at);
  checkCount(outputs.length, arity.outputs, 'output', operator, at);
  const missing = inputs.findIndex(
    (name, port) => name === '' && port < arity.inputs.least && !arity.optional.has(port),
  );
  if (missing < 0) return;
  throw onnxError('ERR_ONNX_GRAPH', {
    expected: `input ${missing} of ${operator}`,
    received: 'an empty name',
    at,
    hint: `${operator} requires this input: export the model again`,
  });
}

function checkCount(count: number, { least, most }: Range, port: string, operator: string, at: string): void {
  if (count >= least && count <= most) return;
  const range = least === most ? `${least}` : most === Infinity ? `at least ${least}` : `${least} to ${most}`;
  throw onnxError('ERR_ONNX_GRAPH', {
    expected: `${range} ${port}${range === '1' ? '' : 's'} of ${operator}`,
    received: `${count}`,
    at,
    hint: `compare the node with the ONNX operator document of ${operator}: onnx.checker.check_model(path) in Python`,
  });
}
