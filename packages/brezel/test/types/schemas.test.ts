import { readFileSync } from 'node:fs';
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createFlour, createRuntime, importOnnx, type Runtime, scalar, tensor, vector } from 'brezel';
import fc from 'fast-check';
import fastify from 'fastify';
import { afterAll, describe, expect, it } from 'vitest';

const flour = await createFlour();
const runtime: Runtime = createRuntime({ store: flour.store, executors: 0 });
afterAll(() => runtime.close());

const inputs = {
  text: flour.input('text', scalar('string')),
  age: flour.input('age', scalar('float32')),
  count: flour.input('count', scalar('int64')),
  small: flour.input('small', scalar('int32')),
  member: flour.input('member', scalar('bool')),
  one: flour.input('one', vector('float32', 1)),
  numbers: flour.input('numbers', vector('float64', 2)),
  words: flour.input('words', vector('string', 2)),
  grid: flour.input('grid', tensor('int32', [2, 1])),
};
const names = flour.dictionary('names', { values: 'mixed' });
const ids = flour.dictionary('ids', { keys: 'int64', values: 'string' });
const unused = flour.input('unused', scalar('float32'));
const { text, ...numeric } = inputs;
const all = runtime.register(
  flour
    .program(
      {
        ...inputs,
        names,
        ids,
        label: text.keyMap(['a', 'b']).keyToValue(['no', 'yes']),
        map: numeric.numbers.cast('float32').zipMap(['x', 'y']),
      },
      { inputs: [...Object.values(inputs), names, ids, unused] },
    )
    .plan(),
);
const row = {
  text: 'a',
  age: 1.5,
  count: 7,
  small: -3,
  member: true,
  one: [0.5],
  numbers: [1, 2],
  words: ['a', 'b'],
  grid: [[1], [2]],
  names: { city: 'Rom', age: 3, tags: ['x'], none: null },
  ids: { 7: 'seven' },
};
const { row: rowSchema, answer: answerSchema } = all.jsonSchema();
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });

describe('jsonSchema', () => {
  it('is valid in each version', () => {
    for (const schema of [rowSchema, answerSchema]) expect(ajv.validateSchema(schema)).toBe(true);
    for (const schema of Object.values(all.jsonSchema({ target: 'draft-07' })))
      expect(new Ajv({ strict: true }).validateSchema(schema)).toBe(true);
    expect(all.jsonSchema({ target: 'openapi-3.0' }).row).not.toHaveProperty('$schema');
    const unknown = () => all.jsonSchema({ target: 'draft-04' as never });
    expect(unknown).toThrow(expect.objectContaining({ code: 'ERR_RUNTIME_OPTION' }));
  });

  it('accepts the answers', () => {
    const answer = JSON.parse(JSON.stringify(runtime.predictSync(all, row)));
    expect(ajv.validate(answerSchema, answer), JSON.stringify(ajv.errors)).toBe(true);
    expect(ajv.validate(answerSchema, { ...answer, label: 'maybe' })).toBe(false);
    expect(ajv.validate(answerSchema, { ...answer, map: { x: 1 } })).toBe(false);
  });

  it('accepts a row if and only if the plan does', () => {
    const accepts = ajv.compile(rowSchema);
    expect(accepts(row)).toBe(true);
    const value = fc.oneof(
      fc.constantFrom<unknown>(null, true, false, 0, 1, 2, -1, 0.5, 2 ** 31, -(2 ** 31), 2 ** 53, '', 'a', [], {}),
      fc.constantFrom<unknown>(
        [1],
        [0.5, 1],
        ['a', 'b'],
        ['a', 1],
        [[1], [2]],
        [[1, 2]],
        [[1], [0.5]],
        { 7: 'x' },
        { a: [1] },
        { a: null },
      ),
      fc.jsonValue(),
    );
    const field = fc.constantFrom(...Object.keys(row), 'unused', 'nope', '__proto__');
    fc.assert(
      fc.property(
        fc.dictionary(field, value, { maxKeys: 2 }),
        fc.subarray(Object.keys(row), { maxLength: 1 }),
        (wrong, missing) => {
          const kept = Object.entries(row).filter(([name]) => !missing.includes(name));
          const given = JSON.parse(JSON.stringify({ ...Object.fromEntries(kept), ...wrong }));
          expect(accepts(given)).toBe(all['~standard'].validate(given).issues === undefined);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('accepts the text alone when it is the only input', () => {
    const only = runtime.register(text.tokenize().hashNgram({ columns: 4 }).plan());
    const accepts = ajv.compile(only.jsonSchema().row);
    expect([accepts('a'), accepts({ text: 'a' }), accepts({ texts: 'a' }), accepts(1)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('contains the labels of an imported model', () => {
    const bytes = readFileSync(new URL('../../../../examples/models/sa-fam-a-00.onnx', import.meta.url));
    const model = runtime.register(importOnnx(bytes, flour).program.plan());
    const { answer } = model.jsonSchema();
    expect(answer.properties).toMatchObject({ label: { enum: [0, 1] } });
    expect(ajv.validate(answer, JSON.parse(JSON.stringify(runtime.predictSync(model, 'a good film'))))).toBe(true);
  });

  it('is a schema of fastify', async () => {
    const age = runtime.register(flour.columns({ age: 'float32' }).select('age').arithmetic('add', 1).plan());
    const { row, answer } = age.jsonSchema({ target: 'draft-07' });
    const app = fastify();
    app.post<{ Body: { age: number } }>('/', { schema: { body: row, response: { 200: answer } } }, (request) =>
      runtime.predict(age, request.body),
    );
    const reply = (payload: object) => app.inject({ method: 'POST', url: '/', payload });
    expect((await reply({ age: 1 })).json()).toEqual({ output: 2 });
    expect((await reply({ aeg: 1 })).json()).toMatchObject({ statusCode: 400, code: 'FST_ERR_VALIDATION' });
    await app.close();
  });
});

describe('Standard Schema', () => {
  it('validates a row and returns it unchanged', () => {
    const schema: StandardSchemaV1<typeof row> = all as never;
    expect(schema['~standard']).toMatchObject({ version: 1, vendor: 'brezel' });
    expect(schema['~standard'].validate(row)).toEqual({ value: row });
    const result = schema['~standard'].validate({ ...row, numbers: [1, 'two'] });
    expect(result).toEqual({
      issues: [{ message: expect.stringContaining('row 0, input "numbers"'), path: ['numbers', 1] }],
    });
    expect(schema['~standard'].validate(3)).toEqual({ issues: [{ message: expect.stringContaining('an object') }] });
  });

  it('returns JSON Schemas', () => {
    const schema: StandardJSONSchemaV1 = all;
    expect(schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' })).toEqual(rowSchema);
    expect(() => schema['~standard'].jsonSchema.output({ target: 'draft-04' })).toThrow(
      expect.objectContaining({ code: 'ERR_RUNTIME_OPTION' }),
    );
  });
});
