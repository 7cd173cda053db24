import { DataType, makeGraph, makeModel, makeNode, tensorInput, writeModel } from '@brezel/onnx';
import {
  type Backend,
  createFlour,
  createRegistry,
  createRuntime,
  defineOperator,
  type ModelRegistry,
  openStore,
} from 'brezel';

/** A text that clients must not receive. */
export const SECRET = 'http://10.0.0.5/v1?key=SECRET';

/** Errors with a status that functions of the owner of a server can throw, by a description. */
export const ownerErrors: Readonly<Record<string, () => Error>> = {
  'a status of HTTP clients': () => Object.assign(new Error(`request to ${SECRET} failed`), { statusCode: 403 }),
  'status 400': () => Object.assign(new TypeError(SECRET), { statusCode: 400, code: SECRET }),
  'status 503': () => Object.assign(new Error(SECRET), { statusCode: 503, code: SECRET }),
  'a code of fastify': () => Object.assign(new Error(SECRET), { statusCode: 413, code: 'FST_ERR_CTP_BODY_TOO_LARGE' }),
  'the name AbortError': () => new DOMException(SECRET, 'AbortError'),
  'no properties': () => new Error(SECRET),
};

let thrown: () => unknown = () => new Error('not set');
const fail = () => {
  throw thrown();
};

const operator = defineOperator({
  name: 'test/failing-operator',
  inputs: ['float32'],
  output: 'float32',
  run: fail,
});

const model = writeModel(
  makeModel(
    makeGraph({
      node: [makeNode('Relu', ['x'], ['y'])],
      input: [tensorInput('x', DataType.FLOAT, ['N', 1])],
      output: [tensorInput('y', DataType.FLOAT, ['N', 1])],
    }),
    { '': 17 },
  ),
);

const backend: Backend = {
  name: 'failing',
  formats: ['onnx'],
  probe: async () => ({ name: 'failing', available: true, formats: ['onnx'], providers: [] }),
  open: async () => fail(),
  dispose: async () => undefined,
};

/** The code of the owner in which a model fails. */
export const failingModels = ['operator', 'backend', 'source'] as const;

/** A registry with models that fail for every row `{ x: 1 }`. */
export interface Failing {
  readonly registry: ModelRegistry;
  /**
   * Adds a model that fails in a custom operator, in a backend, or in the source of its plan.
   * Returns its name. The models of earlier calls throw the new error, too.
   */
  add(kind: (typeof failingModels)[number], create: () => unknown): string;
  close(): Promise<void>;
}

/** Creates a registry for models that fail. */
export async function failingRegistry(): Promise<Failing> {
  const store = await openStore();
  const runtime = createRuntime({ store, backends: [backend] });
  const registry = await createRegistry({ runtime });
  const flour = await createFlour({ store });
  const column = () => flour.columns({ x: 'float32' }).select('x');
  const sources = {
    operator: async () => ({ plan: flour.custom(operator, [column()]).plan() }),
    backend: async () => ({ plan: column().asVector().blackBox(model, { size: 1 }).plan() }),
    source: async () => fail(),
  };
  let count = 0;
  return {
    registry,
    add(kind, create) {
      thrown = create;
      // A name for each failure, because a version that fails repeatedly goes into quarantine.
      const name = `${kind}${count++}`;
      registry.add(name, { load: sources[kind] }, { version: 1 });
      return name;
    },
    async close() {
      await registry.close();
      await runtime.close();
      flour.dispose();
    },
  };
}
