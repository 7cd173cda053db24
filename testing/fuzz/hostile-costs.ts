import { readFileSync, writeFileSync } from 'node:fs';
import { makeNode } from '@brezel/onnx';
import {
  BrezelError,
  createFlour,
  createRuntime,
  importLightGbm,
  importMlNet,
  importModel,
  importOnnx,
  importTensors,
  openFleet,
  openStore,
  packFleet,
} from 'brezel';
import { unzipSync, zipSync } from 'fflate';
import { forge } from '../../packages/brezel/test/fleet/forge.js';
import { cases as hugeCases } from '../../packages/brezel/test/robustness/huge-declarations/cases.js';
import { iterations } from '../../packages/brezel/test/robustness/huge-declarations/iterations.js';
import { linearModel, node } from '../../packages/brezel/test/robustness/models.js';
import { constant, file, flag, float, graph, int64, integer } from '../../packages/brezel/test/tensors/models.js';
import { lightGbmText } from '../../packages/gbdt/test/lightgbm-file.js';
import { sample, sampleOutputs } from '../../packages/mlnet/test/sample.js';

/** A hostile file or request: `prepare` writes it, and `run` must fail with the error `code`. */
interface HostileCase {
  readonly code: string;
  readonly prepare?: (path: string) => void | Promise<void>;
  readonly run: (path: string) => unknown;
}

const flour = await createFlour();
const tree = { feature: 1, threshold: 0.5, defaultLeft: true, missing: 'nan', left: 1, right: -2 } as const;
const relu = (opset: number, operator: string) =>
  file(graph([node(operator, ['x'], ['y'])], [float('x', ['N', 2])], [float('y', ['N', 2])]), opset);
const loop = file(
  graph(
    [
      makeNode('Loop', ['trips', '', 'start'], ['y'], {
        body: {
          g: graph(
            [makeNode('Add', ['total', 'i'], ['next'])],
            [integer('i', []), flag('c'), integer('total', [])],
            [flag('c'), integer('next', [])],
          ),
        },
      }),
    ],
    [integer('trips', []), integer('start', [])],
    [integer('y', [])],
  ),
);

/** Writes an archive that declares 448 bytes for an entry of 256 MiB. */
function bomb(path: string): void {
  const files = unzipSync(sample());
  const name = 'Bomb\\Model.key';
  const bytes = Buffer.from(zipSync({ ...files, [name]: new Uint8Array(2 ** 28) }));
  bytes.writeUInt32LE(448, bytes.lastIndexOf(name, undefined, 'latin1') - 46 + 24);
  writeFileSync(path, bytes);
}

async function forgedFleet(path: string): Promise<void> {
  const compiled = importModel(linearModel(), flour);
  if (compiled.kind !== 'row') throw compiled.why;
  const plan = compiled.program.plan();
  await packFleet([plan], `${path}.whole`, { store: flour.store });
  plan.release();
  forge(`${path}.whole`, path, ({ programs }) => {
    for (const { operator, type } of programs.flatMap(({ steps }) => steps)) if (operator === 'linear') type!.size += 1;
  });
}

const imported = (bytes: Uint8Array) => () => importModel(bytes, flour);

/**
 * Returns a graph that is not a row program, because a Loop of `trips` iterations computes one
 * number for all rows.
 */
const longLoop = (trips: number) =>
  file(
    graph(
      [
        constant('trips', int64([], trips)),
        constant('start', int64([], 0)),
        makeNode('Loop', ['trips', '', 'start'], ['sum'], {
          body: {
            g: graph(
              [makeNode('Add', ['total', 'i'], ['next'])],
              [integer('i', []), flag('c'), integer('total', [])],
              [flag('c'), integer('next', [])],
            ),
          },
        }),
        constant('one', int64([1], 1)),
        node('Reshape', ['sum', 'one'], ['list']),
        node('Add', ['list', 'x'], ['y']),
      ],
      [integer('x', ['N'])],
      [integer('y', ['N'])],
    ),
  );

/** Known hostile files and requests, by what they contain. */
export const hostileCases: Readonly<Record<string, HostileCase>> = {
  ...Object.fromEntries(
    hugeCases
      .filter(({ outcome }) => outcome !== 'works')
      .map(({ name, bytes, outcome }) => [name, { code: outcome, run: imported(bytes) }]),
  ),
  ...Object.fromEntries(
    Object.entries(iterations).map(([name, bytes]) => [
      name,
      { code: 'ERR_ONNX_UNSUPPORTED', run: () => importOnnx(bytes, flour) },
    ]),
  ),
  'entry that inflates to 256 MiB': {
    code: 'ERR_MLNET_FORMAT',
    prepare: bomb,
    run: (path) => importMlNet(readFileSync(path), flour, { outputs: sampleOutputs }),
  },
  'kernel calls of other steps': {
    code: 'ERR_FLEET_STAGE',
    prepare: forgedFleet,
    run: async (path) => openFleet(path, { store: await openStore() }),
  },
  'long Loop in a row that runs alone': {
    code: 'ERR_ONNX_UNSUPPORTED',
    run: () => importOnnx(longLoop(400_000), flour, { rowByRow: true }),
  },
  'Transpose with two outputs': {
    code: 'ERR_ONNX_GRAPH',
    run: imported(file(graph([node('Transpose', ['x'], ['y', 'z'])], [float('x', ['N', 2])], [float('y', [2, 'N'])]))),
  },
  'Pow with one input': { code: 'ERR_ONNX_GRAPH', run: imported(relu(17, 'Pow')) },
  'Softmax of operator set 255': { code: 'ERR_ONNX_UNSUPPORTED', run: imported(relu(255, 'Softmax')) },
  'truncated LightGBM file': {
    code: 'ERR_GBDT_FORMAT',
    run: () => {
      const text = lightGbmText({ features: 3, targets: 1, trees: [tree, tree] });
      importLightGbm(Buffer.from(text.slice(0, text.indexOf('end of trees') - 40)), flour);
    },
  },
  'list of 2^32 - 1 rows': {
    code: 'ERR_RUNTIME_INPUT',
    run: async () => {
      await using runtime = createRuntime({ store: flour.store });
      const model = importModel(linearModel(), flour);
      if (model.kind !== 'row') throw model.why;
      return await runtime.predictBatch(runtime.register(model.program.plan()), new Array(2 ** 32 - 1));
    },
  },
  'Loop with deadlineMs 20': {
    code: 'ERR_RUNTIME_DEADLINE',
    run: async () => {
      await using runtime = createRuntime({ store: flour.store });
      const tensors = runtime.registerTensors(importTensors(loop).program);
      return await runtime.predictTensors(
        tensors,
        { trips: int64([], 400_000), start: int64([], 0) },
        { deadlineMs: 20 },
      );
    },
  },
};

/**
 * Measures a case: its error code, its CPU time, and the growth of the process's memory in addition
 * to the file.
 */
export async function measured(run: () => unknown, fileBytes: number) {
  importModel(linearModel(), flour); // loads and compiles the code that every import needs
  const memory = process.resourceUsage().maxRSS;
  const start = process.cpuUsage();
  let code = 'none';
  try {
    await run();
  } catch (error) {
    code = error instanceof BrezelError ? error.code : String(error);
  }
  const { user, system } = process.cpuUsage(start);
  const growth = (process.resourceUsage().maxRSS - memory) / 1024 - fileBytes / 2 ** 20;
  return { code, milliseconds: (user + system) / 1000, megabytes: Math.max(0, growth) };
}
