// A client that knows only the definition of the protocol. It decodes messages with protobufjs, a
// different library than the server uses.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  type ChannelCredentials,
  type ChannelOptions,
  type Client,
  credentials,
  loadPackageDefinition,
  Metadata,
  type ServiceClientConstructor,
  type ServiceError,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** The definition of this repository, with the extensions of Triton. */
export const ownProto = path('../proto/inference.proto');

/** The published definition, if it is beside this repository. */
export const publishedProto = ['../../../../shared/oip', '../../../shared/oip']
  .map((folder) => path(`${folder}/open_inference_grpc.proto`))
  .find((file) => existsSync(file));

// biome-ignore lint/suspicious/noExplicitAny: tests look at the fields that they expect
export type Message = any;

interface CallOptions {
  readonly deadlineMs?: number;
  readonly token?: string;
}

/** Loads the service class of a definition. */
export function serviceOf(file: string): ServiceClientConstructor {
  const definition = loadSync(file, { keepCase: true, longs: String, oneofs: true, defaults: true });
  const { inference } = loadPackageDefinition(definition) as unknown as {
    inference: { GRPCInferenceService: ServiceClientConstructor };
  };
  return inference.GRPCInferenceService;
}

/** A connection to a server. */
export class TestClient {
  readonly stub: Client & Record<string, (...args: unknown[]) => Message>;

  constructor(
    readonly address: string,
    file = ownProto,
    channel: ChannelCredentials = credentials.createInsecure(),
    more: ChannelOptions = {},
  ) {
    const options = { 'grpc.ssl_target_name_override': 'localhost', 'grpc.max_receive_message_length': -1, ...more };
    this.stub = new (serviceOf(file))(address, channel, options) as unknown as TestClient['stub'];
  }

  /** Calls a method with one request and one response. Errors are thrown. */
  call(method: string, request: object = {}, { deadlineMs, token }: CallOptions = {}): Promise<Message> {
    const metadata = metadataOf(token);
    const options = deadlineMs === undefined ? {} : { deadline: Date.now() + deadlineMs };
    return new Promise((resolve, reject) => {
      this.stub[method]!(request, metadata, options, (error: ServiceError | null, response: Message) =>
        error === null ? resolve(response) : reject(error),
      );
    });
  }

  /** Calls a method with the bytes of a message. */
  raw(method: string, bytes: Uint8Array): Promise<Uint8Array> {
    const same = (message: Buffer) => message;
    return new Promise((resolve, reject) => {
      const path = `/inference.GRPCInferenceService/${method}`;
      this.stub.makeUnaryRequest(path, same, same, Buffer.from(bytes), (error, response) =>
        error === null ? resolve(response!) : reject(error),
      );
    });
  }

  close(): void {
    this.stub.close();
  }
}

/** Returns the metadata with a token. */
export function metadataOf(token: string | undefined): Metadata {
  const metadata = new Metadata();
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
  return metadata;
}

/** Returns the status and the error code of a call that must fail. */
export async function failure(
  call: Promise<unknown>,
): Promise<{ status: number; code: string; message: string; hint: string }> {
  const error = await call.then(
    () => {
      throw new Error('the call did not fail');
    },
    (reason: ServiceError) => reason,
  );
  if (error.metadata === undefined) throw error;
  const [code, hint] = ['brezel-code', 'brezel-hint'].map((key) => `${error.metadata.get(key)[0] ?? ''}`);
  return { status: error.code, code: code!, message: error.details, hint: hint! };
}

interface MessageDescription {
  readonly name: string;
  readonly field: readonly { name: string; number: number; label: string; type: string; typeName: string }[];
  readonly nestedType: readonly MessageDescription[];
}

/** Returns `message.field = number` for each field of a definition, with the type of the field. */
export function fieldsOf(file: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  const visit = (name: string, { field, nestedType }: MessageDescription) => {
    for (const { name: one, number, label, type, typeName } of field)
      fields.set(`${name}.${one} = ${number}`, `${label} ${type} ${typeName}`);
    for (const nested of nestedType) if (!isMapEntry(nested)) visit(`${name}.${nested.name}`, nested);
  };
  for (const [name, definition] of Object.entries(loadSync(file, { keepCase: true })))
    if ('type' in definition) visit(name, definition.type as MessageDescription);
  return fields;
}

const isMapEntry = ({ field }: MessageDescription) => field.map(({ name }) => name).join() === 'key,value';
