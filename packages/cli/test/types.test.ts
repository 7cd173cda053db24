import { execFile } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createFlour, packFleet, scalar, tensor, vector } from 'brezel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brezel, model, root, temporaryFolder } from './brezel.js';

const compiler = join(createRequire(import.meta.url).resolve('typescript/package.json'), '..', 'bin/tsc');
const folder = temporaryFolder();
afterAll(folder.remove);

const OPTIONS = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2023', '--module', 'node16'];

/** Compiles files of the folder, as a user would. Returns what the compiler prints. */
const compiled = async (...files: readonly string[]): Promise<string> => {
  const args = [compiler, ...OPTIONS, '--typeRoots', join(root, 'node_modules/@types'), '--types', 'node', ...files];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder.path('.') }).catch(
    (error: { stdout: string }) => error,
  );
  return stdout;
};

/** Names that end comments and strings, and that are not identifiers. */
const NAMES = ['*/ x', "it's", 'a "b"', 'new\nline', '\u2028', '__proto', '1st', 'ünï', '\\', 'class', '`', '😀'];

beforeAll(async () => {
  symlinkSync(join(root, 'node_modules'), folder.path('node_modules'));
  folder.file('package.json', '{ "type": "module" }');
  using flour = await createFlour();
  const hostile = flour.program(Object.fromEntries(NAMES.map((name) => [name, flour.input(name, scalar('float32'))])), {
    name: 'hostile',
  });
  const text = flour.columns({ text: 'string' }).select('text');
  const kinds = flour.program(
    {
      label: text.keyMap(['a', 'b']).keyToValue(['no', "it's", '*/']),
      map: flour.input('scores', vector('float32', 2)).zipMap(['x y', '*/']),
      isOld: flour.input('age', scalar('float64')).asVector().compare('greater', 60).asScalar(),
      wide: flour.input('id', scalar('int64')).arithmetic('add', 1),
      grid: flour.input('grid', tensor('int32', [2, 3])),
      one: flour.input('one', vector('float32', 1)),
      words: text.tokenize(),
    },
    { name: 'kinds' },
  );
  const plans = [hostile, kinds].map((program) => ({ plan: program.plan() as never }));
  await packFleet(plans, folder.path('two.brezel'), { store: flour.store });
});

describe('brezel types', () => {
  it('writes rows and answers that the compiler checks', async () => {
    const { code, err } = await brezel([
      'types',
      `film=${model(0)}`,
      folder.path('two.brezel'),
      '-o',
      folder.path('models.d.ts'),
    ]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    folder.file('right.ts', RIGHT);
    folder.file('wrong.ts', WRONG);
    expect(await compiled('models.d.ts', 'right.ts', 'wrong.ts')).toBe('');
  });

  it('names a model like its file, without a version', async () => {
    const { out } = await brezel(['types', model(3), folder.path('two.brezel#kinds')]);
    expect(out).toContain("readonly 'sa-fam-a-03': { readonly row: SaFamA03Row; readonly answer: SaFamA03Answer };");
    expect(out).toContain('readonly kinds: { readonly row: KindsRow;');
    expect(out).not.toContain('hostile');
  });

  it('rejects two models of one name', async () => {
    const { code, err } = await brezel(['types', model(0), model(0)]);
    expect(code).toBe(2);
    expect(err).toContain('sa-fam-a-002=path');
  });
});

describe('brezel schema', () => {
  it('prints the schemas of rows and answers', async () => {
    const { out } = await brezel(['schema', model(0)]);
    const { row, answer } = JSON.parse(out);
    expect(row).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema', anyOf: expect.any(Array) });
    expect(answer.properties.probabilities).toEqual({
      type: 'array',
      items: { type: 'number' },
      minItems: 2,
      maxItems: 2,
    });
    const only = await brezel(['schema', model(0), '--of', 'answer', '--target', 'draft-07']);
    expect(JSON.parse(only.out)).toEqual({ ...answer, $schema: 'http://json-schema.org/draft-07/schema#' });
  });
});

const RIGHT = `
import { createRegistry, type PlanRow, type Program, type Runtime } from 'brezel';
import type { FilmRow, KindsAnswer, KindsRow, Models } from './models.js';

const registry = (await createRegistry()).typed<Models>();
registry.add('film', 'film.onnx');
const row: FilmRow = 'a good film';
const label: number = registry.predictSync('film', row).label;
const later: readonly number[] = (await registry.predict('film@2', { text: 'bad' })).probabilities;
const many = await registry.predictBatch('film:production', [row, row]);
many[0]?.label.toFixed();
export const kinds: KindsRow = {
  text: 'a', scores: [1, 2], age: 61, id: 7n, grid: [[1, 2, 3], [4, 5, 6]], one: 0.5,
};
const answer: KindsAnswer = registry.predictSync('kinds', kinds);
answer.label satisfies '' | 'no' | "it's" | '*/';
answer.map['x y'] + answer.map['*/'];
answer.isOld satisfies boolean;
answer.wide satisfies number | bigint;
answer.grid satisfies readonly (readonly number[])[];
registry.predictSync('kinds', { ...kinds, grid: [1, 2, 3, 4, 5, 6], one: [0.5], scores: new Float32Array(2) });
const numbers: Float64Array = registry.predictSync('film', row, { out: new Float64Array(3) });
registry.promote('film', 2);
await registry.close();
declare const program: Program;
declare const runtime: Runtime;
const plan = runtime.register(program.typed<Models['film']>().plan());
export const typed: PlanRow<typeof plan> = row;
export const first: 0 | 1 = runtime.predictSync(plan, row).label;
export { label, later, numbers };
`;
const WRONG = `
import { createRegistry } from 'brezel';
import type { FilmRow, Models } from './models.js';

const registry = (await createRegistry()).typed<Models>();
// @ts-expect-error the row has no such field
export const row: FilmRow = { nope: 1 };
// @ts-expect-error the row has no such field
registry.predictSync('film', { nope: 1 });
// @ts-expect-error the answer has no such output
registry.predictSync('film', 'a').sentimnt;
// @ts-expect-error there is no such model
registry.predictSync('flim', 'a');
// @ts-expect-error there is no such model
await registry.predict('flim@1', 'a');
// @ts-expect-error a row of the batch has no such field
await registry.predictBatch('film@1', [{ nope: 1 }]);
// @ts-expect-error there is no such label
if (registry.predictSync('kinds', null as never).label === 'maybe') throw new Error();
// @ts-expect-error there is no such integer label
if (registry.predictSync('film', 'a').label === 2) throw new Error();
`;
