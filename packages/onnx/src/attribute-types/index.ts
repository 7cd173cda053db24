import { onnxError } from '../errors.js';
import { type AttributeProto, AttributeType, attributeTypeName } from '../proto/schema.js';
import { onnxAttributeTypes } from './onnx-table.js';

// The types of the attributes of a node, from the schema of its operator.

/**
 * The attributes of operators that ONNX does not document: operators of onnxruntime, and
 * experimental operators of old files.
 */
const otherAttributeTypes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '': {
    Affine: '1: alpha float, beta float',
    Crop: '1: border ints, scale ints',
    ImageScaler: '1: bias floats, scale float',
    ParametricSoftplus: '1: alpha float, beta float',
    Scale: '1: scale float',
    ScaledTanh: '1: alpha float, beta float',
    SimplifiedLayerNormalization: '1: axis int, epsilon float, stash_type int',
  },
  'com.microsoft': {
    Attention:
      '1: do_rotary int, mask_filter_value float, num_heads int, past_present_share_buffer int, qkv_hidden_sizes ints, rotary_embedding_dim int, scale float, unidirectional int',
    CDist: '1: metric string',
    DequantizeLinear: '1: axis int, block_size int',
    EmbedLayerNormalization: '1: epsilon float, mask_index_type int',
    FusedGemm:
      '1: activation string, activation_alpha float, activation_beta float, activation_gamma float, alpha float, beta float, transA int, transB int',
    FusedMatMul: '1: alpha float, transA int, transB int, transBatchA int, transBatchB int',
    MatMulNBits: '1: K int, N int, accuracy_level int, bits int, block_size int',
    MultiHeadAttention: '1: mask_filter_value float, num_heads int, scale float, unidirectional int',
    MurmurHash3: '1: positive int, seed int',
    QuantizeLinear: '1: axis int, block_size int',
    QuickGelu: '1: alpha float',
    SkipLayerNormalization: '1: epsilon float',
    SkipSimplifiedLayerNormalization: '1: epsilon float',
    Tokenizer: '1: mark int, mincharnum int, pad_value string, separators strings, tokenexp string',
    TransposeMatMul: '1: alpha float, transA int, transB int',
    Trilu: '1: upper int',
  },
};

/**
 * The attributes of one operator, by name. An entry is valid from the version `since` up to the
 * version of the next entry. Versions are in ascending order.
 */
type Versions = readonly { readonly since: number; readonly types: ReadonlyMap<string, number> }[];

const texts = new Map<string, string>();
for (const table of [onnxAttributeTypes, otherAttributeTypes] as const)
  for (const [domain, entries] of Object.entries(table))
    for (const [operator, text] of Object.entries(entries)) texts.set(`${domain}:${operator}`, text);

const parsed = new Map<string, Versions>();

/**
 * Returns the attributes of an operator, or undefined for an unknown operator. Parses each entry of
 * the tables when it is needed.
 */
function versionsOf(key: string): Versions | undefined {
  const known = parsed.get(key);
  const text = texts.get(key);
  if (known !== undefined || text === undefined) return known;
  const versions = text.split('; ').map((version) => {
    const [since, list] = version.split(': ') as [string, string];
    const entries = list.split(', ').filter((entry) => entry !== '');
    return { since: Number.parseInt(since, 10), types: new Map(entries.map(typeOf)) };
  });
  parsed.set(key, versions);
  return versions;
}

function typeOf(entry: string): [name: string, type: number] {
  const [name, type] = entry.split(' ') as [string, string];
  return [name, AttributeType[type.toUpperCase() as keyof typeof AttributeType]];
}

/** Returns the types of the attributes of an operator in a version of its operator set, by name. */
export function attributeTypesOf(domain: string, operator: string, opset: number): ReadonlyMap<string, number> {
  const versions = versionsOf(`${domain}:${operator}`);
  // A few old files declare version 1 and use an operator of a later version.
  return (versions?.findLast(({ since }) => since <= opset) ?? versions?.[0])?.types ?? new Map();
}

/** The fields of a node that a check of its attributes reads. */
export interface NodeWithAttributes {
  readonly domain: string;
  readonly operator: string;
  readonly opset: number;
  readonly attributes: readonly AttributeProto[];
  /** The version of the file format. Files of version 1 do not declare the types of attributes. */
  readonly irVersion: number;
  readonly at: string;
}

/**
 * Checks the attributes of a node. Each attribute must have the type that the schema of its
 * operator defines, and hold a value of only this type. If the schema does not contain an
 * attribute, its value must have the declared type. onnxruntime also rejects nodes that fail this
 * check.
 * @throws ERR_ONNX_ATTRIBUTE
 */
export function checkAttributeTypes({ domain, operator, opset, attributes, irVersion, at }: NodeWithAttributes): void {
  if (attributes.length === 0) return;
  const types = attributeTypesOf(domain, operator, opset);
  const names = new Set<string>();
  for (const attribute of attributes) {
    const { name } = attribute;
    if (names.size === names.add(name).size) throw wrong(name, `one attribute ${name}`, 'a second one', at);
    const declared = declaredType(attribute, irVersion, at);
    const expected = types.get(name) ?? declared;
    if (declared !== undefined && declared !== expected)
      throw wrong(name, `attribute ${name} of type ${attributeTypeName(expected!)}`, attributeTypeName(declared), at);
    const found = valueTypes(attribute).find((type) => type !== expected);
    if (found === undefined || expected === undefined) continue;
    const received = `a value of type ${attributeTypeName(found)}`;
    throw wrong(name, `a value of type ${attributeTypeName(expected)} in attribute ${name}`, received, at);
  }
}

/**
 * Returns the type that an attribute declares, or undefined if a file of version 1 declares none.
 * Throws for a later file without the type.
 */
function declaredType({ name, type }: AttributeProto, irVersion: number, at: string): number | undefined {
  if (type !== AttributeType.UNDEFINED) return type;
  if (irVersion < 2) return undefined;
  throw wrong(name, `a type of attribute ${name}, as in all files since IR version 2`, 'none', at);
}

/** Returns the types of all values that an attribute holds. */
function valueTypes(attribute: AttributeProto): number[] {
  const { f, i, s, t, g, tp, sparseTensor, floats, ints, strings, tensors, graphs } = attribute;
  const single = [
    [f, AttributeType.FLOAT],
    [i, AttributeType.INT],
    [s, AttributeType.STRING],
    [t, AttributeType.TENSOR],
    [g, AttributeType.GRAPH],
    [tp, AttributeType.TYPE_PROTO],
    [sparseTensor, AttributeType.SPARSE_TENSOR],
  ] as const;
  const lists = [
    [floats, AttributeType.FLOATS],
    [ints, AttributeType.INTS],
    [strings, AttributeType.STRINGS],
    [tensors, AttributeType.TENSORS],
    [graphs, AttributeType.GRAPHS],
  ] as const;
  return [
    ...single.flatMap(([value, type]) => (value === undefined ? [] : [type])),
    ...lists.flatMap(([list, type]) => (list.length === 0 ? [] : [type])),
  ];
}

const wrong = (name: string, expected: string, received: string, at: string) =>
  onnxError('ERR_ONNX_ATTRIBUTE', {
    expected,
    received,
    at,
    hint: `correct the type of ${name} and export the model again: onnx.checker.check_model(path) in Python`,
  });
