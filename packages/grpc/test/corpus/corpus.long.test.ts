import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServer } from '@brezel/http';
import { type Answer, createRegistry, type ModelRegistry, type Row } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { type CorpusModel, compareRow, corpus, corpusFolders, readModel } from '../../../brezel/test/corpus/corpus.js';
import leftOut from '../../../brezel/test/corpus/left-out.json' with { type: 'json' };
import { startGrpcServer } from '../../dist/index.js';
import { ownProto, publishedProto, TestClient } from '../client.js';
import {
  binaryClient,
  type ClientAnswers,
  grpcClient,
  jsonClient,
  type ProtocolClient,
  rawGrpcClient,
} from './protocol-clients.js';

// Each model of the corpus answers clients of the Open Inference Protocol as it answers in the
// process, over JSON, binary tensors and gRPC. The models have the options of `brezel serve`.

const registry: ModelRegistry = await createRegistry();
const http = await startServer({ registry, port: 0, metrics: false });
const grpc = await startGrpcServer({ registry, port: 0 });
const connection = new TestClient(grpc.address, publishedProto ?? ownProto);
const clients: readonly ProtocolClient[] = [
  jsonClient(http.url),
  binaryClient(http.url),
  grpcClient(connection),
  rawGrpcClient(connection),
];
afterAll(async () => {
  connection.close();
  await Promise.all([http.close(), grpc.close()]);
  await registry.close();
});

const SERVED = { missing: 'accept', answers: { float32: 'short' } } as const;

/** Sends rows with every client, and compares the answers with the answers in the process. */
async function replay(file: string, rows: readonly Record<string, unknown>[]): Promise<readonly Answer[]> {
  registry.add('model', file, SERVED);
  try {
    const wanted = await registry.predictBatch('model', rows as readonly Row[]);
    const elements = rows.map((row) => mapped(row, elementsOfInput));
    for (const client of clients) compare(client.name, await client.infer('model', elements), wanted);
    return wanted;
  } finally {
    await registry.remove('model');
  }
}

const mapped = (row: Readonly<Record<string, unknown>>, elements: (value: unknown) => readonly unknown[]) =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, elements(value)]));

const elementsOfInput = (value: unknown) =>
  Array.isArray(value) ? (value.flat(Number.POSITIVE_INFINITY) as unknown[]) : [value];

function compare(client: string, { outputs, rows }: ClientAnswers, wanted: readonly Answer[]): void {
  expect([client, rows.length, outputs.map(({ name }) => name)]).toEqual([
    client,
    wanted.length,
    Object.keys(wanted[0]!),
  ]);
  wanted.forEach((answer, index) => {
    const expected = outputs.map((output) => [output.name, elementsOfOutput(answer[output.name], output)]);
    const received = outputs.map(({ name, datatype }) => [
      name,
      rows[index]![name]!.map((one) => plain(one, datatype)),
    ]);
    expect([client, index, received]).toEqual([client, index, expected]);
  });
}

type Output = ClientAnswers['outputs'][number];

/** Returns the elements of an output in an answer, in the order of the protocol. */
function elementsOfOutput(value: unknown, { datatype, parameters, shape }: Output): readonly unknown[] {
  const isObject = value !== null && typeof value === 'object' && !Array.isArray(value);
  if (isObject && parameters.keys === undefined) return [JSON.stringify(value)];
  const keys = isObject ? (JSON.parse(parameters.keys as string) as readonly string[]) : [];
  const elements = isObject ? keys.map((key) => (value as Record<string, unknown>)[key]) : elementsOfInput(value);
  const size = shape.slice(1).reduce((product, axis) => product * axis, 1);
  const padding = new Array(size - elements.length).fill(''); // of a list of tokens
  return [...elements, ...padding].map((one) => plain(one, datatype));
}

/** Removes differences between the forms of an element: text or number, shortest or exact decimals. */
function plain(element: unknown, datatype: string): unknown {
  if (datatype === 'BYTES') return element;
  if (datatype === 'INT64') return BigInt(element as number | string);
  const number = Number(element); // in JSON, "NaN" is a text
  return datatype === 'FP32' ? Math.fround(number) : number;
}

const lines = (file: string): Record<string, unknown>[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const numbers = (row: Record<string, unknown>): number[] => (Object.values(row)[0] as unknown[]).map(Number);
const nameOf = (folder: string) => folder.split('/').slice(-2).join('/');

function compareExpected(model: CorpusModel, answers: readonly Answer[]): void {
  const expected = model.meta.ort.batch_ok ? model.expected : (model.single ?? model.expected);
  const failures = answers.map((answer, row) => compareRow(model, row, answer, expected[row]));
  expect(failures.filter((failure) => failure !== undefined)).toEqual([]);
}

describe.skipIf(corpus === undefined)('clients of the published protocol', () => {
  const folders = [...corpusFolders('family'), ...corpusFolders('pipelines'), ...corpusFolders('models')].filter(
    (folder) => !(nameOf(folder) in leftOut),
  );
  test.each(folders.map((folder) => [nameOf(folder), folder]))('%s', async (_, folder) => {
    const model = readModel(folder);
    compareExpected(model, await replay(join(folder, 'model.onnx'), model.inputs));
  });

  const inFolder = (part: string, file: string) =>
    readdirSync(join(corpus!, part))
      .map((name) => join(corpus!, part, name))
      .filter((folder) => existsSync(join(folder, file)) && existsSync(join(folder, 'inputs.jsonl')))
      .map((folder) => [nameOf(folder), folder, file] as const);
  const boosted = [
    ...inFolder('gbdt', 'model.lightgbm.txt'),
    ...['json', 'ubj'].flatMap((format) => inFolder('pipelines', `model.xgb.${format}`)),
    ...['json', 'ubj'].flatMap((format) => inFolder('contributions', `model.${format}`)),
  ];
  test.each(boosted)('%s in its own format', async (_, folder, file) => {
    const rows = lines(join(folder, 'inputs.jsonl')).map((row) => ({ x: numbers(row) }));
    expect(await replay(join(folder, file), rows)).toHaveLength(rows.length);
  });

  const table = (name: string) =>
    readFileSync(join(corpus!, 'mlnet-zip', name), 'utf8')
      .trimEnd()
      .split(/\r?\n/)
      .slice(1)
      .map((line) => line.split('\t'));
  test('archives of ML.NET', async () => {
    const flowers = table('iris-sdca/iris-test.txt').map((line) => {
      const [SepalLength, SepalWidth, PetalLength, PetalWidth] = line.slice(1).map(Number);
      return { SepalLength, SepalWidth, PetalLength, PetalWidth };
    });
    const texts = table('sentiment-wikipedia-detox/wikipedia-detox-250-line-test.tsv').map(([, SentimentText]) => ({
      SentimentText,
    }));
    for (const [name, rows] of [
      ['iris-sdca', flowers],
      ['sentiment-wikipedia-detox', texts],
    ] as const)
      expect(await replay(join(corpus!, 'mlnet-zip', name, 'model.zip'), rows)).toHaveLength(rows.length);
  });
});
