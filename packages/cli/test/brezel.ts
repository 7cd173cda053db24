import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { DataType, makeGraph, makeModel, makeNode, tensorInput, writeModel } from '@brezel/onnx';

/** The root of the repository. */
export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The command line interface that bin/brezel.js starts. */
const { main }: typeof import('../src/main.js') = await import(join(root, 'packages/cli/dist/index.js'));

/** A member of the example family. */
export const model = (member: number) => join(root, `examples/models/sa-fam-a-0${member}.onnx`);

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs a script in a separate process without colors, and waits for its end. If `input` is
 * undefined, the process has no standard input.
 */
export function runScript(
  script: string,
  args: readonly string[],
  input?: string | Uint8Array,
  environment: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  const env = { ...process.env, NO_COLOR: '1', BREZEL_DEBUG: '', ...environment };
  const child = spawn(process.execPath, [script, ...args], {
    cwd: root,
    env,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  const out = text(child.stdout!);
  const err = text(child.stderr!);
  child.stdin?.on('error', () => undefined); // a process that fails early closes it
  child.stdin?.end(input);
  return new Promise((resolve, reject) => {
    child
      .on('error', reject)
      .on('close', (code) => resolve(Promise.all([out, err]).then(([out, err]) => ({ code, out, err }))));
  });
}

/**
 * Runs `npx brezel ...args` in a separate process. It is slow: use it for process behavior only.
 */
export const brezelProcess = (
  args: readonly string[],
  input?: string | Uint8Array,
  environment?: NodeJS.ProcessEnv,
): Promise<Ended> => runScript('packages/brezel/bin/brezel.js', args, input, environment);

/**
 * Runs `npx brezel ...args` in this process with streams of the test. Resolves to the exit code.
 */
export const runMain = (args: readonly string[], streams: Parameters<typeof main>[1]): Promise<number> =>
  main([process.execPath, 'brezel', ...args], streams);

/** Runs `npx brezel ...args` in this process. Without `input`, standard input is empty. */
export async function brezel(args: readonly string[], input: string | Uint8Array = ''): Promise<Ended> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const said = Promise.all([text(stdout), text(stderr)]);
  const code = await main([process.execPath, 'brezel', ...args], { stdin: Readable.from([input]), stdout, stderr });
  stdout.end();
  stderr.end();
  const [out, err] = await said;
  return { code, out, err };
}

/** A temporary folder that is removed at the end of the test file. */
export function temporaryFolder(): {
  path(name: string): string;
  file(name: string, content: string | Uint8Array): string;
  remove(): void;
} {
  const folder = mkdtempSync(join(tmpdir(), 'brezel-cli-'));
  const path = (name: string) => join(folder, name);
  return {
    path,
    file(name, content) {
      writeFileSync(path(name), content);
      return path(name);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/**
 * Builds a model with the inputs `text`, `x` (two float32) and `id` (int64). It returns each input
 * under its name in capitals.
 */
export function echoModel(): Uint8Array {
  const input = [
    tensorInput('text', DataType.STRING, ['N']),
    tensorInput('x', DataType.FLOAT, ['N', 2]),
    tensorInput('id', DataType.INT64, ['N']),
  ];
  const names = input.map(({ name }) => name);
  const node = names.map((name) => makeNode('Identity', [name], [name.toUpperCase()]));
  const output = input.map((port) => ({ ...port, name: port.name.toUpperCase() }));
  return writeModel(makeModel(makeGraph({ name: 'echo', input, output, node })));
}

/** An ONNX model of one linear regression over two numbers. */
export function regressorModel(coefficients: readonly number[]): Uint8Array {
  const node = [
    makeNode('LinearRegressor', ['x'], ['y'], { coefficients: { floats: [...coefficients] } }, 'ai.onnx.ml'),
  ];
  const [input, output] = [[tensorInput('x', DataType.FLOAT, ['N', 2])], [tensorInput('y', DataType.FLOAT, ['N', 1])]];
  return writeModel(makeModel(makeGraph({ name: 'regressor', input, output, node }), { '': 17, 'ai.onnx.ml': 3 }));
}
