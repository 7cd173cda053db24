import { type DatatypeName, datatypes, nameOf, type OutputTensor, versionOf } from '@brezel/oip';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type ModelInferResponse, ModelInferResponseSchema } from '../generated/inference_pb.js';
import { typedContents } from './contents.js';

/**
 * Creates the response to a request.
 *
 * @param isRaw whether the response has raw contents, as the request had
 */
export function inferenceResponse(
  version: string,
  id: string | undefined,
  tensors: readonly OutputTensor[],
  isRaw: boolean,
): ModelInferResponse {
  const response: MessageInitShape<typeof ModelInferResponseSchema> = {
    modelName: nameOf(version),
    modelVersion: versionOf(version),
    id: id ?? '',
    outputs: tensors.map(({ name, datatype, shape, elements, parameters }) => ({
      name,
      datatype,
      shape: shape.map(BigInt),
      parameters: textParameters(parameters),
      ...(!isRaw && { contents: typedContents(elements, datatype as Exclude<DatatypeName, 'FP16'>) }),
    })),
    rawOutputContents: isRaw
      ? tensors.map(({ datatype, elements }) => datatypes.get(datatype)!.toBytes(elements) as Uint8Array<ArrayBuffer>)
      : [],
  };
  return create(ModelInferResponseSchema, response);
}

/** Converts parameters whose values are texts to their protobuf form. */
export const textParameters = (parameters: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name,
      { parameterChoice: { case: 'stringParam' as const, value } },
    ]),
  );
