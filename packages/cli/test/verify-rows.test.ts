import { createFlour, packFleet, vector } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { compareAnswer } from '../src/verify/compare-answer.js';
import { brezel, echoModel, model, regressorModel, temporaryFolder } from './brezel.js';

const folder = temporaryFolder();
afterAll(folder.remove);

const echo = folder.file('echo.onnx', echoModel());
const sum = folder.file('sum.onnx', regressorModel([1, 1]));
const lines = (...values: readonly unknown[]) =>
  values.map((value) => `${typeof value === 'string' ? value : JSON.stringify(value)}\n`).join('');

const verify = (model: string, rows: string, expected: string, ...flags: readonly string[]) =>
  brezel([
    ...['verify', model, '--rows', folder.file('rows', rows), '--expected', folder.file('expected', expected)],
    ...flags,
  ]);
const agrees = async (...args: Parameters<typeof verify>) => {
  const { code, out, err } = await verify(...args);
  expect(err).toBe('');
  expect(code).toBe(0);
  return out;
};
const fails = async (...args: Parameters<typeof verify>) => {
  const ended = await verify(...args);
  expect(ended.code, ended.out).toBe(1);
  return ended;
};

const sums = lines({ x: [1, 2] }, { x: [3, 4] }, { x: [5, 6] });

describe('verify --rows --expected', () => {
  test('the answers of predict agree with the model to the bit', async () => {
    const rows = lines({ text: 'a good film' }, { text: 'bad' }, { text: '' });
    const { out } = await brezel(['predict', model(0)], rows);
    expect(await agrees(model(0), rows, out, '--rtol', '0', '--atol', '0')).toMatch(/3 of 3 rows agree/);
    const special = lines('{"text": "\\u00e4", "x": ["NaN", "-Infinity"], "id": "9007199254740992"}');
    const answers = (await brezel(['predict', echo], special)).out;
    expect(answers).toContain('"9007199254740992"');
    expect(await agrees(echo, special, answers, '--rtol', '0', '--atol', '0')).toMatch(/1 of 1 row agree/);
  });

  test('a difference has line, output, position and both values, and the exit code is 1', async () => {
    const { out, err } = await fails(sum, sums, lines({ y: [3] }, { y: [7.5] }, { y: [11] }));
    expect(out).toContain('2 of 3 rows agree');
    expect(out).toContain('line 2, y[0]: 7 instead of 7.5');
    expect(err).toMatch(/ERR_CLI_DIFFERENCE.*sum.onnx: 1 differing row of 3/);
    const json = await fails(sum, sums, lines({ y: [3] }, { y: [7.5] }, { y: ['NaN'] }), '--json');
    expect(JSON.parse(json.out)).toMatchObject({
      outputs: ['y'],
      rows: 3,
      agree: 1,
      different: [
        { line: 2, differences: [{ output: 'y[0]', expected: '7.5', received: '7' }] },
        { line: 3, differences: [{ output: 'y[0]', expected: '"NaN"', received: '11' }] },
      ],
    });
    const vector = await fails(
      echo,
      lines('{"text": "a", "x": [1, 2], "id": "9007199254740992"}'),
      lines('{"TEXT": "b", "X": [1, 2.5], "ID": 9007199254740990}'),
    );
    expect(vector.out).toContain('line 1, TEXT: "a" instead of "b"');
    expect(vector.out).toContain('line 1, X[1]: 2 instead of 2.5');
    expect(vector.out).toContain('line 1, ID: "9007199254740992" instead of 9007199254740990');
  });

  test('the first ten differing rows are printed', async () => {
    const rows = lines(...Array.from({ length: 25 }, (_, row) => ({ x: [row, 0] })));
    const { out } = await fails(sum, rows, lines(...Array.from({ length: 25 }, () => ({ y: [-1] }))));
    expect(out.match(/line \d+/g)).toEqual(Array.from({ length: 10 }, (_, row) => `line ${row + 1}`));
    expect(out).toContain('and 15 more rows');
  });

  test('--rtol and --atol are the tolerance of floats', async () => {
    const near = lines({ y: [3.25] }, { y: [7] }, { y: [11] });
    await fails(sum, sums, near);
    await agrees(sum, sums, near, '--atol', '0.25');
    await agrees(sum, sums, near, '--rtol', '0.1');
    await fails(sum, sums, near, '--rtol', '0.01');
  });

  test('some outputs are enough, and the report names them', async () => {
    const row = lines({ text: 'a', x: [1, 2], id: 3 });
    expect(await agrees(echo, row, lines({ ID: 3 }))).toContain('outputs ID,');
    const { err } = await fails(echo, lines(row, row), lines({ ID: 3 }, { ID: 3, TEXT: 'a' }));
    expect(err).toMatch(/ERR_CLI_EXPECTED.*expected outputs ID, .*line 2, received ID, TEXT/);
    expect((await fails(echo, row, lines({ id: 3 }))).err).toMatch(/ERR_CLI_EXPECTED.*TEXT, X, ID.*received id/);
    expect((await fails(echo, row, lines({}))).err).toMatch(/ERR_CLI_EXPECTED.*received none/);
    expect((await fails(echo, row, lines('[1]'))).err).toMatch(/ERR_CLI_ROW: .*expected: .*line 1/);
  });

  test('the numbers of rows and answers must be equal, also for several blocks', async () => {
    const [row, answer] = [lines({ x: [1, 2] }), lines({ y: [3] })];
    expect(await agrees(sum, row.repeat(4100), answer.repeat(4100))).toContain('4100 of 4100');
    expect((await fails(sum, row.repeat(4100), answer.repeat(4099))).err).toMatch(/ERR_CLI_EXPECTED.*4099 answers/);
    expect((await fails(sum, row.repeat(2), answer.repeat(3))).err).toMatch(/ERR_CLI_EXPECTED.*more answers than rows/);
  });

  test('errors of rows are compared, as predict --on-error line writes them', async () => {
    const rows = lines({ x: [1, 2] }, { x: [1] }, 'no JSON');
    const { out } = await brezel(['predict', sum, '--on-error', 'line'], rows);
    expect(await agrees(sum, rows, out)).toContain('3 of 3 rows agree');
    const other = await fails(sum, rows, lines({ y: [3] }, { y: [3] }, { error: { code: 'ERR_OTHER' } }));
    expect(other.out).toMatch(/line 2, the row: ERR_CLI_ROW.* instead of an answer/);
    expect(other.out).toMatch(/line 3, the row: ERR_CLI_ROW.* instead of ERR_OTHER/);
    expect((await fails(sum, lines({ x: [1, 2] }), lines({ error: { code: 'ERR_CLI_ROW' } }))).out).toContain(
      'an answer instead of ERR_CLI_ROW',
    );
  });

  test('--missing and --extra-fields work as in predict', async () => {
    const fleet = folder.path('missing.brezel');
    using flour = await createFlour();
    const age = flour.input('age', vector('float32', 1)).impute({ values: 28 });
    const plan = flour.program({ age }, { name: 'm' }).plan();
    await packFleet([plan], fleet, { store: flour.store });
    const rows = lines({ age: [4] }, { age: null }, {});
    const numbers = lines({ age: [4] }, { age: [28] }, { age: [28] });
    const errors = lines({ age: [4] }, { error: { code: 'ERR_CLI_ROW' } }, { error: { code: 'ERR_CLI_ROW' } });
    await agrees(`${fleet}#m`, rows, numbers);
    await agrees(`${fleet}#m`, rows, numbers, '--missing', 'accept');
    await agrees(`${fleet}#m`, rows, errors, '--missing', 'refuse');
    expect((await fails(`${fleet}#m`, rows, numbers, '--missing', 'refuse')).out).toContain('1 of 3 rows agree');
    const extra = lines({ age: [4], id: 7 });
    expect((await fails(`${fleet}#m`, extra, lines({ age: [4] }))).out).toContain('ERR_CLI_ROW');
    await agrees(`${fleet}#m`, extra, lines({ age: [4] }), '--extra-fields', 'ignore');
  });

  test('rows may be CSV or standard input, and the model a plan of a fleet file', async () => {
    expect(await agrees(sum, 'x[0],x[1]\n1,2\n', lines({ y: [3] }), '--csv')).toContain('1 of 1 row agree');
    const fleet = folder.path('fleet.brezel');
    await brezel(['pack', `a=${sum}`, `b=${echo}`, '-o', fleet]);
    const expected = folder.file('piped', lines({ y: [3] }));
    const piped = await brezel(['verify', `${fleet}#a`, '--rows', '-', '--expected', expected], lines({ x: [1, 2] }));
    expect(piped.err).toBe('');
    expect(piped.out).toContain('1 of 1 row agree');
  });

  test.each([
    [['--rows', 'r']],
    [['--expected', 'e']],
    [['--rows', 'r', '--expected', 'e', '--test-data', 't']],
    [['--rows', '-', '--expected', '-']],
    [['--csv']],
    [['--missing', 'refuse']],
    [['--extra-fields', 'refuse', '--key', 'k']],
    [['--atol', '1']],
  ])('%j is an invalid command line', async (flags) => {
    const { code, err } = await brezel(['verify', sum, ...flags]);
    expect(err).toContain('ERR_CLI_USAGE');
    expect(code).toBe(2);
  });
});

test('maps agree if their keys and values agree', () => {
  const type = { kind: 'map', dtype: 'float32', keys: ['a', 'b'] } as never;
  const compare = (expected: unknown) =>
    compareAnswer([{ name: 'p', type }] as never, { p: expected }, { p: { a: 0.5, b: Number.NaN } } as never, {
      rtol: 0,
      atol: 0,
    });
  expect(compare({ b: 'NaN', a: 0.5 })).toEqual([]);
  expect(compare({ b: 'NaN', a: 0.25 })).toEqual([{ output: 'p["a"]', expected: '0.25', received: '0.5' }]);
  for (const other of [{ a: 0.5 }, { a: 0.5, c: 'NaN' }, [0.5, 'NaN'], 0.5, null])
    expect(compare(other)).toHaveLength(1);
});
