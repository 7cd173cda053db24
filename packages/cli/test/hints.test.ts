import { backendErrors, type ErrorTable } from '@brezel/core';
import { fleetFileErrors } from '@brezel/fleet-file';
import { flourErrors } from '@brezel/flour';
import { gbdtErrors } from '@brezel/gbdt';
import { mlNetErrors } from '@brezel/mlnet';
import { storeErrors } from '@brezel/object-store';
import { DataType, makeGraph, makeModel, makeNode, onnxErrors, tensorInput, writeModel } from '@brezel/onnx';
import { ovenErrors } from '@brezel/oven';
import { runtimeErrors } from '@brezel/runtime';
import { tensorErrors } from '@brezel/tensors';
import { afterAll, describe, expect, test } from 'vitest';
import { fleetErrors } from '../../brezel/src/fleet/errors.js';
import { testDataErrors } from '../../brezel/src/test-data/errors.js';
import { archiveOf } from '../../mlnet/test/archive-file.js';
import { cliErrors } from '../src/errors.js';
import { hintOf } from '../src/hints.js';
import { brezel, model, regressorModel, temporaryFolder } from './brezel.js';

const folder = temporaryFolder();
afterAll(folder.remove);

const tables: readonly ErrorTable[] = [
  ...[flourErrors, tensorErrors, ovenErrors, storeErrors, runtimeErrors, fleetFileErrors, fleetErrors],
  ...[onnxErrors, gbdtErrors, mlNetErrors, testDataErrors, backendErrors, cliErrors],
];

/** Codes that the command line never causes: it uses the API with valid options. */
const impossible = new Set([
  ...['ERR_FLOUR_GRAPH', 'ERR_FLOUR_NAME', 'ERR_FLOUR_COMPILER', 'ERR_OVEN_PLACEMENT', 'ERR_STORE_CLOSED'],
  ...['ERR_RUNTIME_OUTPUT', 'ERR_RUNTIME_UNKNOWN_PLAN', 'ERR_RUNTIME_OPTION', 'ERR_RUNTIME_NAME'],
  ...['ERR_RUNTIME_OVERLOADED', 'ERR_RUNTIME_DEADLINE', 'ERR_RUNTIME_QUARANTINED', 'ERR_RUNTIME_RESERVATION'],
  ...['ERR_RUNTIME_BACKEND', 'ERR_RUNTIME_STUCK', 'ERR_FLEET_OPTION', 'ERR_FLEET_REFERENCE'],
]);

/** Matches names of Brezel's API in a hint, but not calls of Python or C#. */
const api =
  /\b(import(Onnx|Model|Tensors|MlNet)|openFleet|packFleet|create(Flour|Runtime|Registry)|registry\.|plan\.\w|runtime\.|defineOperator|predict\w*\(|predict(Batch|Stream|Tensors)|register\w*\(|nonFinite|blackBox|limits[.:]|externalData|trustedKeys|deadlineMs|JavaScript)/;

describe('hints of the command line', () => {
  test.each(tables.flatMap((table) => Object.entries(table)).filter(([code]) => !impossible.has(code)))(
    '%s names no option of the API',
    (code, { hint }) => expect(hintOf({ code, hint })).not.toMatch(api),
  );

  test('of a cache folder names the command that corrects the folder', () => {
    const hint = 'run: chmod 700 /home/user/.cache/brezel';
    expect(hintOf({ code: 'ERR_FLEET_SNAPSHOT', hint })).toBe(hint);
  });

  test('a limit is a flag, and the hint is a flag that works', async () => {
    for (const [flag, path] of [
      ['nodes=0', model(0)],
      ['items=5', model(0)],
      ['elements=1', model(0)],
      ['fileBytes=10', model(0)],
    ] as const) {
      let flags = ['--limit', flag];
      for (let attempts = 0; ; attempts++) {
        const { code, err } = await brezel(['inspect', path, ...flags]);
        if (code === 0) break;
        expect(attempts).toBeLessThan(20);
        expect(err).toMatch(/ERR_ONNX_LIMIT.*hint: if you trust the file, pass a greater limit: --limit \w+=\d+\)/);
        flags = /--limit \w+=\d+/.exec(err)![0].split(' ');
      }
    }
  });

  test('limits of files of each format have hints with flags, also a limit of 0', async () => {
    const lightGbm = folder.file('model.txt', 'tree\nversion=v4\n');
    const mlNet = folder.file('model.zip', archiveOf([]));
    const pmml = folder.file('model.pmml', '<PMML version="4.4"/>');
    for (const [path, limit] of [
      [lightGbm, 'fileBytes'],
      [mlNet, 'fileBytes'],
      [mlNet, 'entries'],
      [pmml, 'fileBytes'],
      [pmml, 'items'],
    ] as const)
      expect((await brezel(['inspect', path, '--limit', `${limit}=0`])).err).toMatch(
        new RegExp(`_LIMIT.*hint: if you trust the file, pass a greater limit: --limit ${limit}=`),
      );
    for (const code of ['ERR_ONNX_OPTION', 'ERR_GBDT_OPTION', 'ERR_MLNET_OPTION'])
      expect(hintOf({ code, hint: 'leave limits.fileBytes out to use its default' })).not.toMatch(api);
    const hint = 'define the operator: defineOperator({ name: "my.team/Region", ... })';
    for (const code of ['ERR_ONNX_UNSUPPORTED', 'ERR_BACKEND_MODEL']) expect(hintOf({ code, hint })).not.toMatch(api);
  });

  test('an unknown limit and a limit without number are errors that say what is expected', async () => {
    const sum = folder.file('sum.onnx', regressorModel([1, 1]));
    expect((await brezel(['inspect', sum, '--limit', 'nods=1'])).err).toMatch(/ERR_ONNX_OPTION.*"nodes".*"nods"/);
    // only ML.NET archives have this limit
    expect((await brezel(['inspect', sum, '--limit', 'entries=1'])).code).toBe(0);
    const { code, err } = await brezel(['inspect', sum, '--limit', 'nodes']);
    expect(err).toMatch(/ERR_CLI_USAGE.*NAME=NUMBER/);
    expect(code).toBe(2);
    expect((await brezel(['inspect', sum, '--limit', 'nodes=20', '--limit', 'items=99'])).code).toBe(0);
  });

  test('--shape completes a shape, and the hint of an open shape names it', async () => {
    const relu = makeGraph({
      name: 'relu',
      input: [tensorInput('x', DataType.FLOAT, ['N', 'columns'])],
      output: [tensorInput('y', DataType.FLOAT, ['N', 'columns'])],
      node: [makeNode('Relu', ['x'], ['y'])],
    });
    const open = folder.file('open.onnx', writeModel(makeModel(relu)));
    expect((await brezel(['predict', open], '{"x": [1, -2, 3]}\n')).err).toMatch(
      /ERR_ONNX_SHAPE.*\[N, columns\].*hint: .*--shape INPUT=N,COLUMNS/,
    );
    const { out, err } = await brezel(['predict', open, '--shape', 'x=N,3'], '{"x": [1, -2, 3]}\n');
    expect({ out, err }).toEqual({ out: '{"y": [1, 0, 3]}\n', err: '' });
    expect((await brezel(['inspect', open, '--shape', 'z=N,3'])).err).toMatch(/ERR_ONNX_OPTION.*inputs x.*"z"/);
    for (const wrong of ['x', 'x=', 'x=0', 'x=N;3', '=N,3']) {
      const { code, err } = await brezel(['inspect', open, '--shape', wrong]);
      expect(err, wrong).toMatch(/ERR_CLI_USAGE.*INPUT=SIZES/);
      expect(code).toBe(2);
    }
  });

  test('NaN in weights, unsupported operators and wrong rows', async () => {
    const nan = folder.file('nan.onnx', regressorModel([Number.NaN, 1]));
    const { err } = await brezel(['inspect', nan]);
    expect(err).toMatch(/_WEIGHT.*hint: .*--allow-non-finite/);
    expect(err).not.toContain('nonFinite');
    expect((await brezel(['inspect', nan, '--allow-non-finite'])).code).toBe(0);
    const sum = folder.file('sum.onnx', regressorModel([1, 1]));
    const rows = await brezel(['predict', sum, '--on-error', 'line'], '{"y": 1}\n');
    expect(JSON.parse(rows.out).error.hint).not.toContain('plan.inputs');
  });
});
