import {
  DataType,
  makeGraph,
  makeModel,
  makeNode,
  tensorInput,
  writeElements,
  writeModel,
  writeTensorProto,
} from '@brezel/onnx';
import { examine, onnxruntimeBackend } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { hasDevice, PosingDevice } from '../../brezel/test/devices/posing-device.js';
import { brezel, brezelProcess, temporaryFolder } from './brezel.js';

const files = temporaryFolder();
afterAll(() => files.remove());

describe('brezel doctor', () => {
  test('lists parts, backends and providers, and reports that the core works', async () => {
    const { code, out, err } = await brezel(['doctor']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^brezel \d/);
    for (const part of ['Node.js', 'addon', 'wasm', 'core', 'workers', 'onnxruntime', 'tfjs', 'device'])
      expect(out).toMatch(new RegExp(`^  (ok|no) +${part} `, 'm'));
    expect(out).toMatch(/Brezel works here\.\n$/);
  });

  test('as JSON, without the addon; exit code 1 where the core does not work', async () => {
    const old =
      "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'18.1.0'}})";
    const environment = { BREZEL_NATIVE: 'off', NODE_OPTIONS: `--import ${old}` };
    const { code, out, err } = await brezelProcess(['doctor', '--json'], undefined, environment);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      works: false,
      node: { works: false, why: 'Brezel needs Node.js 20 or newer' },
      addon: { works: false, why: expect.stringContaining('BREZEL_NATIVE'), instructionSets: [] },
      wasm: { works: true },
      core: { works: true, what: 'WebAssembly and JavaScript give the same answer' },
      backends: expect.arrayContaining([
        expect.objectContaining({ name: 'onnxruntime', package: 'onnxruntime-node', providers: expect.any(Array) }),
      ]),
    });
    expect(err).toMatch(/^brezel: ERR_CLI_DOCTOR: .*20 or newer/);
  });

  test('missing packages are reported with the command that installs them', async () => {
    const { works, backends, lowering } = await examine([onnxruntimeBackend({ module: 'no-such-onnxruntime' })]);
    expect(works).toBe(true);
    expect(lowering).toMatchObject({ works: false, remedy: 'npm install no-such-onnxruntime' });
    expect(backends).toEqual([
      {
        name: 'onnxruntime',
        package: 'no-such-onnxruntime',
        available: false,
        why: 'no-such-onnxruntime is not installed',
        remedy: 'npm install no-such-onnxruntime',
        formats: [],
        providers: [],
      },
    ]);
  });
});

describe('dense stages on a device', () => {
  const gpu = (device: PosingDevice): PosingDevice => {
    const report = { name: 'posing', formats: ['onnx'], available: true } as const;
    device.probe = async () => ({ ...report, providers: [{ name: 'posing-gpu', device: 'gpu', available: true }] });
    return device;
  };

  test.skipIf(!hasDevice)('without a GPU, they are tested on the CPU provider', async () => {
    const { lowering } = await examine([new PosingDevice()]);
    // A machine with a GPU reports where dense stages run.
    if (lowering.works) return expect(lowering.what).toMatch(/^dense stages run on /);
    expect(lowering.why).toBe('no GPU provider works; the test stage gives correct answers on cpu');
  });

  test.skipIf(!hasDevice)('a provider that works, gives wrong answers, or fails', async () => {
    expect((await examine([gpu(new PosingDevice())])).lowering).toEqual({
      works: true,
      what: 'dense stages run on posing-gpu',
    });
    const lies = gpu(new PosingDevice());
    const answer = (value: number) => ({
      element: 'float32' as const,
      shape: [8, 32],
      data: new Float32Array(256).fill(value),
    });
    lies.fault = async () => ({ out_0: answer(7) });
    expect((await examine([lies])).lowering).toMatchObject({ works: false, what: 'wrong answers on posing-gpu' });
    const fails = gpu(new PosingDevice());
    fails.fault = () => Promise.reject(new Error('no memory at all'));
    expect((await examine([fails])).lowering).toMatchObject({ works: false, why: 'no memory at all' });
    fails.refusal = new Error('no such driver');
    expect((await examine([fails])).lowering).toMatchObject({ works: false, why: 'no such driver' });
  });
});

describe('black boxes', () => {
  const port = (name: string) => tensorInput(name, DataType.FLOAT, ['N', 2, 2]);
  const nodes = [
    makeNode('Neg', ['x'], ['a']),
    makeNode('Inverse', ['a'], ['b'], {}, 'com.microsoft'),
    makeNode('Neg', ['b'], ['y']),
  ];
  const graph = makeGraph({ node: nodes, input: [port('x')], output: [port('y')] });
  const model = files.file('inverse.onnx', writeModel(makeModel(graph, { '': 17, 'com.microsoft': 1 })));

  test('inspect shows the nodes and the reasons', async () => {
    const { out } = await brezel(['inspect', model]);
    expect(out).toContain(
      '  black box   0: 1 node in a backend, a -> b\n' +
        '              b, com.microsoft:Inverse: Brezel does not have com.microsoft:Inverse, opset 1\n',
    );
  });

  test('verify runs them, or rejects them with --black-box forbid', async () => {
    const value = (name: string, ...data: number[]) =>
      writeTensorProto(writeElements(name, { element: 'float32', shape: [1, 2, 2], data: Float32Array.from(data) }));
    files.file('input_0.pb', value('x', 2, 0, 0, 4));
    files.file('output_0.pb', value('y', 0.5, 0, 0, 0.25));
    const { code, out, err } = await brezel(['verify', model, '--test-data', files.path('')]);
    if (err.includes('ERR_BACKEND_MISSING')) console.warn(`no black box is run: ${err}`);
    else {
      expect([code, err]).toEqual([0, '']);
      expect(out).toContain('over whole tensors, 1 black box');
      expect(out).toContain('1 of 1 output agree');
    }
    const forbidden = await brezel(['verify', model, '--test-data', files.path(''), '--black-box', 'forbid']);
    expect(forbidden.code).toBe(1);
    expect(forbidden.err).toContain('ERR_ONNX_UNSUPPORTED');
  });
});
