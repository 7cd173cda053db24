import { createHash } from 'node:crypto';
import type { BackendModel, BlackBox, BlackBoxNode, BlackBoxRows, ElementType } from '@brezel/core';
import { create } from '../proto/descriptor.js';
import { dataTypeOf, elementOf } from '../proto/element-tensor.js';
import { makeGraph, tensorInput } from '../proto/make.js';
import {
  type FunctionProto,
  type ModelProto,
  modelProto,
  type NodeProto,
  operatorSetIdProto,
  typeProto,
  type ValueInfoProto,
  valueInfoProto,
} from '../proto/schema.js';
import { writeModel } from '../proto/write.js';
import { domainOf, functionKey } from '../tensor-names.js';
import type { Group } from './group.js';
import { joinedOutputs } from './joined-outputs.js';

/** The lowest IR version that the importer writes for a box, because functions need version 8. */
const OLDEST_WRITTEN_IR = 8;

interface BoxParts extends Group {
  /**
   * The reasons why Brezel does not run nodes. A node of the box without a reason is a constant
   * that the box reads.
   */
  readonly reasons: ReadonlyMap<NodeProto, string>;
  readonly declared: ReadonlyMap<string, ValueInfoProto>;
}

type WrittenParts = BoxParts & Partial<Pick<BlackBoxRows, 'shapes'>>;

/**
 * Returns a black box with the given nodes of a model. Its values have the same names as in the
 * model.
 */
export function modelBlackBox(model: ModelProto, number: number, parts: BoxParts): BlackBox {
  const nodes = parts.nodes.flatMap((node) => toldOf(node, parts.reasons.get(node)));
  const name = `black box ${number} (${shownOperators(nodes)})`;
  const elementsOf = (value: string) => {
    const declared = parts.declared.get(value)?.type?.tensorType;
    return declared && elementOf(declared.elemType);
  };
  return {
    name,
    nodes,
    inputs: parts.inputs.map((input) => ({ name: input, element: elementsOf(input) })),
    outputs: parts.outputs,
    model: (elements, rows) => written(model, name, rows === undefined ? parts : withRows(parts, rows), elements),
  };
}

function withRows(parts: BoxParts, { shapes, outputs }: BlackBoxRows): WrittenParts {
  if (outputs.length === 1) return { ...parts, shapes, outputs };
  const { nodes, output } = joinedOutputs(outputs);
  return { ...parts, shapes, nodes: [...parts.nodes, ...nodes], outputs: [output] };
}

const toldOf = ({ name, output, domain, opType }: NodeProto, why: string | undefined): BlackBoxNode[] =>
  why === undefined
    ? []
    : [{ name: name || output[0] || '?', operator: `${domainOf(domain) || 'ai.onnx'}:${opType}`, why }];

const SHOWN_OPERATORS = 4;

function shownOperators(nodes: readonly BlackBoxNode[]): string {
  const operators = [...new Set(nodes.map(({ operator }) => operator.slice(operator.indexOf(':') + 1)))];
  return operators.length <= SHOWN_OPERATORS
    ? operators.join(', ')
    : `${operators.slice(0, SHOWN_OPERATORS).join(', ')}, ...`;
}

/**
 * Writes the nodes of a box as an ONNX model. Does not declare unknown ranks and sizes; onnxruntime
 * infers them.
 */
function written(model: ModelProto, name: string, parts: WrittenParts, elements: readonly ElementType[]): BackendModel {
  const graph = makeGraph({
    name,
    node: parts.nodes,
    initializer: parts.initializers,
    input: parts.inputs.map((input, at) => port(input, dataTypeOf(elements[at]!), parts.shapes?.[at])),
    output: parts.outputs.map((output) => port(output, parts.declared.get(output)?.type?.tensorType?.elemType ?? 0)),
  });
  const { opsetImport, functions, irVersion } = model;
  const bytes = writeModel(
    create(modelProto, {
      irVersion: Math.max(OLDEST_WRITTEN_IR, irVersion),
      producerName: 'brezel',
      graph,
      opsetImport: opsetImport.length > 0 ? opsetImport : [create(operatorSetIdProto, { version: 1 })],
      functions: calledFunctions(functions, parts.nodes),
    }),
  );
  const checksum = createHash('sha256').update(bytes).digest('hex');
  return { format: 'onnx', bytes, checksum, name, outputs: parts.outputs };
}

function port(name: string, elemType: number, shape?: BlackBoxRows['shapes'][number]): ValueInfoProto {
  if (shape !== undefined) return tensorInput(name, elemType, shape);
  const type = elemType === 0 ? undefined : create(typeProto, { tensorType: { elemType, shape: undefined } });
  return create(valueInfoProto, { name, type });
}

/** Returns the functions that nodes call, directly or through other functions. */
function calledFunctions(functions: readonly FunctionProto[], nodes: readonly NodeProto[]): FunctionProto[] {
  const byKey = new Map(functions.map((called) => [functionKey(called.domain, called.name, called.overload), called]));
  const found = new Set<FunctionProto>();
  const waiting = [...nodes];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const { g } of node.attribute) if (g !== undefined) for (const inner of g.node) waiting.push(inner);
    const called = byKey.get(functionKey(node.domain, node.opType, node.overload));
    if (called === undefined || found.has(called)) continue;
    found.add(called);
    for (const inner of called.node) waiting.push(inner);
  }
  return functions.filter((called) => found.has(called));
}
