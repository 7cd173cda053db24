// Clients of the Open Inference Protocol that know only its published definition, and Triton's
// binary tensors: they read the metadata of a model, and build their requests from it.
import type { Message, TestClient } from '../client.js';

/** A tensor in the metadata of a model. */
interface TensorMetadata {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
}

/** A tensor of a request or a response. `data` has the elements in row-major order. */
interface ClientTensor extends TensorMetadata {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly data: readonly unknown[];
}

/** Elements of one row, by the name of the input or output. */
export type RowElements = Readonly<Record<string, readonly unknown[]>>;

/** The answers of a server: the outputs of the response with their datatype and parameters. */
export interface ClientAnswers {
  readonly outputs: readonly ClientTensor[];
  readonly rows: readonly RowElements[];
}

/** Sends rows of a model to a server. */
export interface ProtocolClient {
  readonly name: string;
  infer(model: string, rows: readonly RowElements[]): Promise<ClientAnswers>;
}

/** Joins rows to the tensors that the metadata of the model names. */
function tensorsOf(inputs: readonly TensorMetadata[], rows: readonly RowElements[]): ClientTensor[] {
  return inputs
    .filter(({ name }) => rows[0]![name] !== undefined)
    .map(({ name, datatype, shape }) => {
      const sizes = [rows.length, ...shape.slice(1)];
      const data = rows.flatMap((row) => row[name]!);
      return {
        name,
        datatype,
        shape: sizes,
        parameters: {},
        data: datatype.startsWith('FP') ? data.map(Number) : data,
      };
    });
}

/** Divides the tensors of a response into the rows of its first axis. */
function rowsOf(outputs: readonly ClientTensor[]): RowElements[] {
  const count = outputs[0]!.shape[0]!;
  return Array.from({ length: count }, (_, row) => {
    const elementsOf = ({ shape, data }: ClientTensor) => {
      const size = shape.slice(1).reduce((product, axis) => product * axis, 1);
      return data.slice(row * size, (row + 1) * size);
    };
    return Object.fromEntries(outputs.map((output) => [output.name, elementsOf(output)]));
  });
}

const answersOf = (outputs: readonly ClientTensor[]): ClientAnswers => ({ outputs, rows: rowsOf(outputs) });

async function checked(response: Response): Promise<Response> {
  if (response.ok) return response;
  throw new Error(`${response.status}: ${await response.text()}`);
}

/** A client that sends tensors as JSON. */
export function jsonClient(url: string): ProtocolClient {
  return {
    name: 'JSON',
    async infer(model, rows) {
      const inputs = tensorsOf(await metadataOf(url, model), rows).map(({ data, ...tensor }) => {
        const fields = JSON.stringify(tensor).slice(1, -1);
        return `{${fields},"data":[${data.map(jsonElement).join()}]}`;
      });
      const body = `{"inputs":[${inputs.join()}]}`;
      const response = await checked(await fetch(inferUrl(url, model), { method: 'POST', body }));
      const { outputs } = (await response.json()) as { outputs: ClientTensor[] };
      return answersOf(outputs.map((output) => ({ ...output, parameters: output.parameters ?? {} })));
    },
  };
}

/**
 * Writes an element as JSON. JSON has no NaN and no infinities, readers of JSON lose digits beyond
 * 2^53, and JSON.stringify drops the sign of zero.
 */
function jsonElement(element: unknown): string {
  if (Object.is(element, -0)) return '-0.0';
  const isText = typeof element === 'bigint' || (typeof element === 'number' && !Number.isFinite(element));
  return JSON.stringify(isText ? `${element}` : element);
}

/** A client that sends and receives tensors as bytes after the JSON. */
export function binaryClient(url: string): ProtocolClient {
  return {
    name: 'binary tensors',
    async infer(model, rows) {
      const parts: Buffer[] = [];
      const inputs = tensorsOf(await metadataOf(url, model), rows).map(({ data, ...tensor }) => {
        const bytes = bytesOf(tensor.datatype, data);
        parts.push(bytes);
        return { ...tensor, parameters: { binary_data_size: bytes.length } };
      });
      const head = Buffer.from(JSON.stringify({ inputs, parameters: { binary_data_output: true } }));
      const headers = { 'inference-header-content-length': `${head.length}` };
      const body = Buffer.concat([head, ...parts]);
      const response = await checked(await fetch(inferUrl(url, model), { method: 'POST', body, headers }));
      const bytes = Buffer.from(await response.arrayBuffer());
      let end = Number(response.headers.get('inference-header-content-length'));
      const { outputs } = JSON.parse(bytes.subarray(0, end).toString()) as { outputs: ClientTensor[] };
      const read = outputs.map((output) => {
        const start = end;
        end += output.parameters.binary_data_size as number;
        return { ...output, data: elementsOf(output.datatype, bytes.subarray(start, end)) };
      });
      return answersOf(read);
    },
  };
}

/** A client of the gRPC service. It sends and receives typed contents. */
export function grpcClient(client: TestClient): ProtocolClient {
  return {
    name: 'gRPC',
    async infer(model, rows) {
      const inputs = tensorsOf(await grpcMetadata(client, model), rows).map(({ data, parameters: _, ...tensor }) => ({
        ...tensor,
        contents: { [FIELDS[tensor.datatype]!]: data.map(grpcElement) },
      }));
      const { outputs } = await client.call('ModelInfer', { model_name: model, inputs });
      return answersOf(outputs.map((output: Message) => grpcTensor(output, output.contents[FIELDS[output.datatype]!])));
    },
  };
}

/** A client of the gRPC service that sends and receives raw bytes. */
export function rawGrpcClient(client: TestClient): ProtocolClient {
  return {
    name: 'gRPC with raw contents',
    async infer(model, rows) {
      const tensors = tensorsOf(await grpcMetadata(client, model), rows);
      const inputs = tensors.map(({ name, datatype, shape }) => ({ name, datatype, shape }));
      const raw = tensors.map(({ datatype, data }) => bytesOf(datatype, data));
      const response = await client.call('ModelInfer', { model_name: model, inputs, raw_input_contents: raw });
      const { outputs, raw_output_contents: contents } = response;
      return answersOf(
        outputs.map((output: Message, index: number) =>
          grpcTensor(output, elementsOf(output.datatype, contents[index])),
        ),
      );
    },
  };
}

const inferUrl = (url: string, model: string) => `${url}/v2/models/${encodeURIComponent(model)}/infer`;

async function metadataOf(url: string, model: string): Promise<readonly TensorMetadata[]> {
  const response = await checked(await fetch(`${url}/v2/models/${encodeURIComponent(model)}`));
  return ((await response.json()) as { inputs: TensorMetadata[] }).inputs;
}

async function grpcMetadata(client: TestClient, name: string): Promise<readonly TensorMetadata[]> {
  const { inputs } = await client.call('ModelMetadata', { name });
  return inputs.map((input: Message) => ({ ...input, shape: input.shape.map(Number) }));
}

function grpcTensor({ name, datatype, shape, parameters }: Message, data: readonly unknown[]): ClientTensor {
  const values = Object.entries<Message>(parameters ?? {}).map(([key, value]) => [key, value.string_param]);
  const elements = datatype === 'BYTES' ? data.map(String) : data;
  return { name, datatype, shape: shape.map(Number), parameters: Object.fromEntries(values), data: elements };
}

const grpcElement = (element: unknown) => (typeof element === 'string' ? Buffer.from(element) : element);

/** The field of InferTensorContents with the elements of a datatype. */
const FIELDS: Readonly<Record<string, string>> = {
  BOOL: 'bool_contents',
  INT32: 'int_contents',
  INT64: 'int64_contents',
  FP32: 'fp32_contents',
  FP64: 'fp64_contents',
  BYTES: 'bytes_contents',
};

const ARRAYS = {
  BOOL: Uint8Array,
  INT32: Int32Array,
  INT64: BigInt64Array,
  FP32: Float32Array,
  FP64: Float64Array,
} as const;
const TEXT_LENGTH_BYTES = 4;

/** Writes elements as little-endian bytes, each text with its length before it. */
function bytesOf(datatype: string, elements: readonly unknown[]): Buffer {
  if (datatype === 'BYTES')
    return Buffer.concat(
      elements.flatMap((element) => {
        const text = Buffer.from(element as string);
        const length = Buffer.alloc(TEXT_LENGTH_BYTES);
        length.writeUInt32LE(text.length);
        return [length, text];
      }),
    );
  const numbers = datatype === 'INT64' ? elements.map((element) => BigInt(element as number)) : elements;
  const array = new ARRAYS[datatype as keyof typeof ARRAYS](numbers as never);
  return Buffer.from(array.buffer);
}

function elementsOf(datatype: string, bytes: Uint8Array): readonly unknown[] {
  if (datatype !== 'BYTES') {
    const { buffer } = Uint8Array.from(bytes); // a copy, which is aligned
    return Array.from(new ARRAYS[datatype as keyof typeof ARRAYS](buffer) as unknown as ArrayLike<unknown>);
  }
  const texts: string[] = [];
  const view = Buffer.from(bytes);
  for (let start = 0; start < view.length; ) {
    const from = start + TEXT_LENGTH_BYTES;
    start = from + view.readUInt32LE(start);
    texts.push(view.subarray(from, start).toString());
  }
  return texts;
}
