import { readFileSync } from 'node:fs';
import * as brezel from 'brezel';
import { afterAll, expect, test } from 'vitest';

const page = readFileSync(new URL('../../../../docs/lowering.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!);
const WIDTH = 256;
const AsyncFunction = (async () => {}).constructor as new (
  ...parts: string[]
) => (...values: unknown[]) => Promise<unknown>;

const backend = brezel.onnxruntimeBackend();
afterAll(() => backend.dispose());
const probed = await backend.probe();
if (!probed.available) console.warn(`the examples with onnxruntime-node are not run: ${probed.why}`);
const hasGpu = probed.providers.some(({ device, available }) => device === 'gpu' && available);

/** Runs an example. Returns the value of the variable `name` and the printed text. */
async function run(code: string, name: string) {
  using flour = await brezel.createFlour();
  const layer = () => ({ weights: new Array<number>(WIDTH ** 2).fill(0.01), bias: new Array<number>(WIDTH).fill(1) });
  const x = flour.input('x', brezel.vector('float32', WIDTH)) as brezel.Flow<'vector'>;
  const compiled = flour.program({ y: x.normalize('l2').mlp({ layers: [layer(), layer()] }) }).plan();
  const rows = Array.from({ length: 64 }, (_, at) => ({ x: new Array<number>(WIDTH).fill(at + 1) }));
  const printed: unknown[] = [];
  const runtimes: brezel.Runtime[] = [];
  const createRuntime = (options: brezel.RuntimeOptions) => {
    runtimes.push(brezel.createRuntime(options));
    return runtimes.at(-1)!;
  };
  const given = {
    ...brezel,
    createRuntime,
    flour,
    compiled,
    rows,
    console: { log: (one: unknown) => printed.push(one) },
  };
  const all = code.includes('const backend =')
    ? { ...given, onnxruntimeBackend: () => backend }
    : { ...given, backend };
  const here = hasGpu ? code : code.replace("{ device: 'gpu' }", "{ device: 'cpu' }");
  const value = await new AsyncFunction(...Object.keys(all), `${here}\nreturn ${name};`)(...Object.values(all));
  for (const one of runtimes) await one.close();
  compiled.release();
  return { value, printed };
}

test('the page has two examples', () => expect(examples.length).toBe(2));

test.skipIf(!probed.available)('a plan with a device', async () => {
  const { value, printed } = await run(examples[0]!, 'answers');
  expect((value as unknown[]).length).toBe(64);
  const [places] = printed as [brezel.StagePlacement[]];
  expect(places.map(({ why }) => why)[0]).toBe('operator normalize');
  expect(places[1]).toMatchObject(hasGpu ? { stage: 1 } : { device: 'cpu', why: expect.stringMatching(/^absent: /) });
});

test.skipIf(!probed.available)('by hand', async () => {
  const { value, printed } = await run(examples[1]!, 'stage');
  const told = [...examples[1]!.matchAll(/^\/\/ (.*)$/gm)].map(([, line]) => line);
  expect((printed[0] as string).split('\n')).toEqual(told);
  expect((value as brezel.BackendStage).inputs[0]!.name).toBe('in_0');
});
