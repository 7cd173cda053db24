import { type Artifacts, readArtifacts } from '../files/artifacts.js';
import { record } from '../files/manifest.js';
import { modelError } from '../files/model-error.js';
import type { ModelRef } from '../messages.js';
import type { OpenModel } from './open-model.js';
import { portOf } from './ports.js';
import type { TensorFlow, TfPort } from './tensor-flow.js';

/**
 * Opens a frozen graph, as tensorflowjs_converter writes it. If the graph has a signature, its
 * inputs and outputs have the names in the signature.
 */
export async function openGraphModel(tf: TensorFlow, { path, maxBytes }: ModelRef): Promise<OpenModel> {
  const { artifacts, digest, bytes } = readArtifacts(path, 'tfjs-graph', maxBytes);
  rejectTables(artifacts);
  const model = await tf.loadGraphModel({ load: async () => artifacts });
  const signature = artifacts.signature as { inputs?: unknown; outputs?: unknown } | undefined;
  const inputs = namedPorts(signature?.inputs, model.inputs);
  const outputs = namedPorts(signature?.outputs, model.outputs);
  /**
   * The requested lists of outputs, as texts, for which the graph needs `executeAsync`, because of
   * loops or of sizes that depend on values.
   */
  const dynamic = new Set<string>();
  return {
    inputs: inputs.map(({ key, port }) => portOf(key, port)),
    outputs: outputs.map(({ key, port }) => portOf(key, port)),
    bytes,
    digest,
    weights: model.weights,
    async run(feed, wanted) {
      const tensors = Object.fromEntries(inputs.map(({ key, port }) => [port.name, feed[key]!]));
      const names = wanted.map((key) => outputs.find((output) => output.key === key)!.port.name);
      const list = JSON.stringify(wanted);
      if (!dynamic.has(list)) {
        try {
          return [model.execute(tensors, names)].flat();
        } catch (error) {
          if (!needsAsync(error)) throw error;
          dynamic.add(list);
        }
      }
      return [await model.executeAsync(tensors, names)].flat();
    },
    dispose: () => model.dispose(),
  };
}

/**
 * Throws for graphs with lookup tables. A separate graph fills these tables. The backend frees the
 * tensors that a request creates, but later requests need the tensors of that graph.
 */
function rejectTables({ modelInitializer }: Artifacts): void {
  const nodes = (modelInitializer as { node?: unknown } | undefined)?.node;
  if (nodes === undefined || (Array.isArray(nodes) && nodes.length === 0)) return;
  throw modelError('a graph without lookup tables', 'a graph that fills them (modelInitializer)', 'model.json');
}

/**
 * Returns whether an error means that the graph needs `executeAsync`. It compares the message,
 * because the library has no error codes.
 */
const needsAsync = (error: unknown) => error instanceof Error && error.message.includes('executeAsync()');

interface NamedPort {
  readonly key: string;
  readonly port: TfPort;
}

/**
 * Returns the inputs or outputs of the graph under the keys of its signature. The signature refers
 * to nodes of the graph (`x:0`). Omits handles of lookup tables. Without a signature, the keys are
 * the names of the nodes.
 */
function namedPorts(signature: unknown, ports: readonly TfPort[]): NamedPort[] {
  const entries = Object.entries(signature === undefined ? {} : record(signature, 'signature'));
  const known = entries.flatMap(([key, value]) => {
    const { name } = record(value, `signature of "${key}"`);
    const port = ports.find((candidate) => nodeOf(candidate.name) === nodeOf(String(name)));
    return port === undefined || port.dtype === 'resource' ? [] : [{ key, port: { ...port, name: String(name) } }];
  });
  return known.length > 0 ? known : ports.map((port) => ({ key: port.name, port }));
}

const nodeOf = (name: string) => name.replace(/:\d+$/, '');
