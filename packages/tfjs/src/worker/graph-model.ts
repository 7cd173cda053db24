import { type Artifacts, readArtifacts } from '../files/artifacts.js';
import { modelFault } from '../files/fault.js';
import { record } from '../files/manifest.js';
import type { ModelRef } from '../messages.js';
import type { OpenModel } from './open-model.js';
import { portOf } from './ports.js';
import type { TensorFlow, TfPort } from './tensor-flow.js';

/** A frozen graph, as tensorflowjs_converter writes it. Ports have the names of its signature, where it has one. */
export async function openGraphModel(tf: TensorFlow, { path, maxBytes }: ModelRef): Promise<OpenModel> {
  const { artifacts, digest, bytes } = readArtifacts(path, 'tfjs-graph', maxBytes);
  refuseTables(artifacts);
  const model = await tf.loadGraphModel({ load: async () => artifacts });
  const signature = artifacts.signature as { inputs?: unknown; outputs?: unknown } | undefined;
  const inputs = namedPorts(signature?.inputs, model.inputs);
  const outputs = namedPorts(signature?.outputs, model.outputs);
  /** Lists of outputs that need the other way: loops on their way, or sizes that only values tell. */
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
        } catch (fault) {
          if (!needsAsync(fault)) throw fault;
          dynamic.add(list);
        }
      }
      return [await model.executeAsync(tensors, names)].flat();
    },
    dispose: () => model.dispose(),
  };
}

/** Lookup tables are filled by a graph of their own, whose tensors would have to outlive the first request. */
function refuseTables({ modelInitializer }: Artifacts): void {
  const nodes = (modelInitializer as { node?: unknown } | undefined)?.node;
  if (nodes === undefined || (Array.isArray(nodes) && nodes.length === 0)) return;
  throw modelFault('a graph without lookup tables', 'one that fills them (modelInitializer)', 'model.json');
}

/** The library tells only by its message. */
const needsAsync = (fault: unknown) => fault instanceof Error && fault.message.includes('executeAsync()');

interface NamedPort {
  readonly key: string;
  readonly port: TfPort;
}

/** Ports by the keys of the signature; its names (`x:0`) are those of the graph's nodes. Handles of tables are no inputs. */
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
