import { checkAttributeTypes } from './attribute-types/index.js';
import { create } from './proto/descriptor.js';
import { makeNode } from './proto/make.js';
import {
  DataType,
  type ModelProto,
  type NodeProto,
  operatorSetIdProto,
  typeProto,
  type ValueInfoProto,
  valueInfoProto,
} from './proto/schema.js';
import { domainOf, opsetsOf } from './tensor-names.js';

/** The operator-set version for the added Identity nodes in files that declare only ai.onnx.ml. */
const IDENTITY_SINCE = 1;

/** A warning lists at most this many labels. */
const LISTED = 8;

/**
 * Replaces each ZipMap at the end of a model by its input tensor, because neither tensor programs
 * nor onnxruntime-node support maps. Adds a warning with the output and its labels. A ZipMap that
 * another node reads stays in the model.
 * @throws ERR_ONNX_ATTRIBUTE for an attribute of a replaced ZipMap with an invalid type.
 */
export function withoutZipMaps(model: ModelProto): {
  readonly model: ModelProto;
  readonly warnings: readonly string[];
  /** For each replaced output, the keys of the map in the order of the tensor's columns. */
  readonly labels: Readonly<Record<string, readonly string[]>>;
} {
  const graph = model.graph!;
  const read = new Set(graph.node.flatMap(({ input }) => input));
  const unread = new Set(graph.output.map(({ name }) => name).filter((name) => !read.has(name)));
  const isLast = ({ domain, opType, input, output }: NodeProto) =>
    domainOf(domain) === 'ai.onnx.ml' && opType === 'ZipMap' && input.length === 1 && unread.has(output[0]!);
  const maps = graph.node.filter(isLast);
  if (maps.length === 0) return { model, warnings: [], labels: {} };
  for (const map of maps) checkMap(map, model.irVersion);
  const names = new Set(maps.map(({ output }) => output[0]!));
  const node = graph.node.map((original) =>
    isLast(original) ? { ...makeNode('Identity', original.input, original.output), name: original.name } : original,
  );
  const output = graph.output.map((port) => (names.has(port.name) ? scores(port) : port));
  const opsetImport = opsetsOf(model.opsetImport).has('')
    ? model.opsetImport
    : [...model.opsetImport, create(operatorSetIdProto, { domain: '', version: IDENTITY_SINCE })];
  return {
    model: { ...model, opsetImport, graph: { ...graph, node, output } },
    warnings: maps.map(warning),
    labels: Object.fromEntries(maps.map((map) => [map.output[0]!, labelsOf(map)])),
  };
}

const checkMap = ({ attribute, name, output }: NodeProto, irVersion: number): void =>
  checkAttributeTypes({
    domain: 'ai.onnx.ml',
    operator: 'ZipMap',
    opset: 1,
    attributes: attribute,
    irVersion,
    at: `node "${name || output[0]!}" (ai.onnx.ml.ZipMap)`,
  });

/** Returns the declaration of an output as a float32 tensor of unknown shape. */
const scores = ({ name, docString }: ValueInfoProto): ValueInfoProto =>
  create(valueInfoProto, {
    name,
    docString,
    type: create(typeProto, { tensorType: { elemType: DataType.FLOAT, shape: undefined } }),
  });

const labelsOf = ({ attribute }: NodeProto): readonly string[] =>
  attribute.flatMap(({ strings, ints }) => [...strings.texts(), ...Array.from(ints, String)]);

function warning(map: NodeProto): string {
  const { output } = map;
  const labels = labelsOf(map);
  const listed = labels.slice(0, LISTED).map((label) => JSON.stringify(label));
  const more = labels.length > LISTED ? ` and ${labels.length - LISTED} more` : '';
  return `output "${output[0]}" is a tensor with a column a label, not a map: ${listed.join(', ')}${more}`;
}
