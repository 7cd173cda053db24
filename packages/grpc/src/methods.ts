import { checkLoadParameters, checkModelName, modelMetadata, nameOf, readyRoute, repositoryIndex } from '@brezel/oip';
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import type { MethodGroup } from './access.js';
import { cancelSignal, deadlineMsOf, type UnaryCall } from './calls.js';
import { GRPCInferenceService } from './generated/inference_pb.js';
import { answerInfer, referenceOf, type Served } from './infer.js';
import { decoded } from './messages.js';
import { VERSION } from './version.js';

/** A method with one request and one response. */
export interface UnaryMethod {
  readonly name: string;
  readonly group: MethodGroup;
  /** Answers an encoded request with an encoded response. */
  handle(call: UnaryCall, served: Served): Promise<Uint8Array>;
}

/** The extensions of the protocol that this server supports, with the names that Triton uses. */
const EXTENSIONS = ['binary_tensor_data', 'model_repository'];

function unary<Input extends DescMessage, Output extends DescMessage>(
  { name, input, output }: DescMethodUnary<Input, Output>,
  group: MethodGroup,
  answer: (
    request: MessageShape<Input>,
    served: Served,
    call: UnaryCall,
  ) => MessageInitShape<Output> | Promise<MessageInitShape<Output>>,
): UnaryMethod {
  return {
    name,
    group,
    handle: async (call, served) =>
      toBinary(output, create(output, await answer(decoded(input, call.request), served, call))),
  };
}

const { method } = GRPCInferenceService;

/** The methods with one request and one response. */
export const unaryMethods: readonly UnaryMethod[] = [
  unary(method.serverLive, 'health', () => ({ live: true })),

  unary(method.serverReady, 'health', (_, { isReady }) => ({ ready: isReady() })),

  unary(method.modelReady, 'predict', ({ name, version }, { registry }) => ({
    ready: registry.route(referenceOf(name, version)).description !== undefined,
  })),

  unary(method.serverMetadata, 'predict', () => ({ name: 'brezel', version: VERSION, extensions: EXTENSIONS })),

  unary(method.modelMetadata, 'predict', async ({ name, version }, { registry }, call) => {
    const limits = { deadlineMs: deadlineMsOf(call), key: undefined, signal: cancelSignal(call) };
    const ready = await readyRoute(registry, referenceOf(name, version), limits);
    const { inputs, outputs, versions, platform } = modelMetadata(registry, ready);
    const tensor = ({ shape, ...rest }: (typeof inputs)[number]) => ({ ...rest, shape: shape.map(BigInt) });
    return {
      name: nameOf(ready.route.version),
      versions: [...versions],
      platform,
      inputs: inputs.map(tensor),
      outputs: outputs.map(tensor),
    };
  }),

  unary(method.modelInfer, 'predict', (request, served, call) =>
    answerInfer(request, call, cancelSignal(call), served),
  ),

  unary(method.repositoryIndex, 'predict', ({ ready }, { registry }) => ({
    models: [...repositoryIndex(registry, ready)],
  })),

  unary(method.repositoryModelLoad, 'control', async ({ modelName, parameters }, { change }) => {
    checkLoadParameters(Object.keys(parameters));
    await change({ action: 'load', reference: modelName });
    return {};
  }),

  unary(method.repositoryModelUnload, 'control', async ({ modelName }, { change }) => {
    checkModelName(modelName);
    await change({ action: 'unload', name: modelName });
    return {};
  }),
];
