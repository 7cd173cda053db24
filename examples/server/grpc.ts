import { fileURLToPath } from 'node:url';
import { credentials, loadPackageDefinition, type ServiceClientConstructor } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

/** The fields of a response that this example reads. */
interface InferResponse {
  readonly outputs: readonly { readonly contents: { readonly int64_contents: readonly number[] } }[];
}

/** Sends texts to a gRPC server, and returns the labels. */
export function inferOverGrpc(address: string, texts: readonly string[]): Promise<string> {
  const file = fileURLToPath(new URL('../../../packages/grpc/proto/inference.proto', import.meta.url));
  const definition = loadPackageDefinition(loadSync(file, { keepCase: true, longs: Number }));
  const { GRPCInferenceService } = definition.inference as unknown as {
    GRPCInferenceService: ServiceClientConstructor;
  };
  const client = new GRPCInferenceService(address, credentials.createInsecure());
  const contents = { bytes_contents: texts.map((text) => Buffer.from(text)) };
  const request = {
    model_name: 'sentiment',
    inputs: [{ name: 'text', datatype: 'BYTES', shape: [texts.length], contents }],
    outputs: [{ name: 'label' }],
  };
  return new Promise((resolve, reject) => {
    client.ModelInfer!(request, (error: Error | null, response: InferResponse) => {
      client.close();
      if (error === null) resolve(response.outputs[0]!.contents.int64_contents.join(', '));
      else reject(error);
    });
  });
}
