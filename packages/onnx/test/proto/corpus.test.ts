import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readModel, readTensorProto } from '../../src/proto/read.js';
import type { GraphProto, ModelProto } from '../../src/proto/schema.js';
import { readTensor } from '../../src/proto/tensor.js';
import { writeModel } from '../../src/proto/write.js';
import { corpusModels } from './corpus.js';

interface Facts {
  /** The number of nodes, also in subgraphs, by `domain:Op-sinceVersion`. */
  readonly ops: Readonly<Record<string, number>>;
  readonly opset: Readonly<Record<string, number>>;
  readonly ir_version: number;
  readonly inputs: readonly { readonly name: string }[];
}

const trained = corpusModels('family', 'pipelines', 'models');
const conformance = corpusModels('onnx-node');

const domainName = (domain: string) => domain || 'ai.onnx';

function counted(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function allNodes(graph: GraphProto): string[] {
  return graph.node.flatMap(({ domain, opType, attribute }) => [
    `${domainName(domain)}:${opType}`,
    ...attribute.flatMap(({ g, graphs }) => (g === undefined ? graphs : [g, ...graphs]).flatMap(allNodes)),
  ]);
}

function factsOf(model: ModelProto) {
  return {
    nodes: counted(allNodes(model.graph!)),
    opset: Object.fromEntries(model.opsetImport.map(({ domain, version }) => [domainName(domain), version])),
    irVersion: model.irVersion,
  };
}

test.skipIf(trained.length === 0)('trained models have the facts of their meta.json', () => {
  for (const { name, directory, bytes } of trained) {
    const facts: Facts = JSON.parse(readFileSync(join(directory, 'meta.json'), 'utf8'));
    const nodes = Object.entries(facts.ops).map(([op, count]) => [op.replace(/-\d+$/, ''), count]);
    const expected = { nodes: Object.fromEntries(nodes), opset: facts.opset, irVersion: facts.ir_version };
    const model = readModel(bytes);
    expect(factsOf(model), name).toEqual(expected);
    const inputs = model.graph!.input.map((input) => input.name);
    expect(inputs, name).toEqual(expect.arrayContaining(facts.inputs.map((input) => input.name)));
  }
});

test.skipIf(conformance.length === 0)('conformance models and their tensors are read', () => {
  for (const { name, directory, bytes } of conformance) {
    expect(readModel(bytes).graph!.node.length, name).toBeGreaterThan(0);
    for (const set of readdirSync(directory).filter((entry) => entry.startsWith('test_data_set'))) {
      for (const file of readdirSync(join(directory, set))) {
        const tensor = readTensor(readTensorProto(readFileSync(join(directory, set, file))));
        const count = tensor.shape.reduce((product, size) => product * size, 1);
        expect(tensor.data.length, `${name}/${file}`).toBe(count);
      }
    }
  }
});

test.skipIf(trained.length === 0)('real models are equal after writing and reading, and their tensors decode', () => {
  for (const { name, bytes } of [...trained, ...conformance]) {
    const model = readModel(bytes);
    const written = writeModel(model);
    // The official protobuf library also writes empty strings and some fields that Brezel omits.
    // All other files must have the same bytes after reading and writing.
    if (written.length === bytes.length) expect(Buffer.compare(written, bytes), name).toBe(0);
    expect(Buffer.compare(writeModel(readModel(written)), written), name).toBe(0);
    for (const initializer of model.graph!.initializer) readTensor(initializer);
  }
});
