import { unzipSync, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { archiveOf, type Body, modelKey, type Part } from './archive-file.js';
import { checkDamage } from './check-damage.js';
import * as parts from './parts.js';
import { answersOf, faultOf } from './predictor.js';
import { sample, sampleOutputs, sampleRow } from './sample.js';

const linear = parts.linear('LinearRegressionExec', [1, 2], 0);
const good = [parts.concat('Features', 'A', 'B'), parts.regression('Features', linear)];
const schema = { A: 'Single', B: 'Single' } as const;
const stump: parts.TestTree = { lte: [~0], gt: [~1], feature: [0], threshold: [0], leaves: [1, 2] };
const withTree = (tree: Partial<parts.TestTree>) =>
  archiveOf(
    [parts.regression('A', parts.forest('FastTreeRegressionExec', 0x00010005, 1, [{ ...stump, ...tree }]))],
    schema,
  );

/** Returns the position of an entry in the directory of an archive. */
function centralEntry(bytes: Buffer, name: string): number {
  const at = bytes.lastIndexOf(name, -1, 'latin1') - 46;
  if (bytes.readUInt32LE(at) !== 0x02014b50) throw new Error(`no entry ${name}`);
  return at;
}

/** Returns an archive with changed files. */
function changed(change: (files: Record<string, Uint8Array>) => void): Uint8Array {
  const files = unzipSync(archiveOf(good, schema));
  change(files);
  return zipSync(files);
}

describe('bad archives of ML.NET', () => {
  test('the sample is valid', async () => {
    const [answer] = await answersOf(sample(), [sampleRow], { outputs: sampleOutputs });
    expect(answer).toEqual({ Named: 'ant', PredictedLabel: true, Score: 1, Probability: expect.closeTo(0.7311, 4) });
  });

  test('are rejected with a location, and free their memory', async () => {
    const key = 'TransformerChain\\Model.key';
    const broken: [Uint8Array, string, string][] = [
      [Buffer.from('PK\x03\x04Model.key'), 'ERR_MLNET_FORMAT', 'the archive'],
      [Buffer.from(''), 'ERR_MLNET_FORMAT', 'the archive'],
      [archiveOf(good, schema).subarray(0, 400), 'ERR_MLNET_FORMAT', 'the archive'],
      [changed((files) => delete files[key]), 'ERR_MLNET_FORMAT', 'TransformerChain/Model.key'],
      [
        changed((files) => (files[key] = files[key]!.subarray(0, 100))),
        'ERR_MLNET_FORMAT',
        `${key.replace('\\', '/')}, byte`,
      ],
      [changed((files) => (files['..\\Model.key'] = files[key]!)), 'ERR_MLNET_FORMAT', '..\\\\Model.key'],
      [changed((files) => (files['TransformerChain/Model.key'] = files[key]!)), 'ERR_MLNET_FORMAT', 'twice'],
      [changed((files) => (files.Schema = Buffer.from('CML'))), 'ERR_MLNET_FORMAT', 'Schema, byte 0'],
      [
        changed(
          (files) =>
            (files[key] = modelKey({
              loader: 'TransformerChain',
              version: 0x00010001,
              write: (to) => to.ints([7, 7, 7]),
            })),
        ),
        'ERR_MLNET_FORMAT',
        'Transform_002',
      ],
      [withTree({ gt: [0] }), 'ERR_MLNET_FORMAT', 'tree 0'], // a child that is its own parent
      [withTree({ gt: [1] }), 'ERR_MLNET_FORMAT', 'tree 0, node 0'],
      [withTree({ feature: [-1] }), 'ERR_MLNET_FORMAT', 'tree 0, node 0'],
      [withTree({ feature: [7] }), 'ERR_MLNET_FORMAT', 'Model.key'],
      [withTree({ threshold: [] }), 'ERR_MLNET_FORMAT', 'tree 0'],
      [
        archiveOf([parts.regression('A', parts.linear('LinearRegressionExec', [Number.NaN], 0))], schema),
        'ERR_MLNET_FORMAT',
        'finite',
      ],
      [
        archiveOf([parts.regression('A', parts.oneVersusAll(0, [linear, linear]))], schema),
        'ERR_MLNET_FORMAT',
        'one score',
      ],
      [archiveOf([parts.valueToKey('Out', 'A', ['x', 'x'])], schema), 'ERR_MLNET_FORMAT', 'Vocabulary'],
    ];
    for (const [bytes, code, at] of broken)
      expect(await faultOf(bytes)).toEqual({ code, message: expect.stringContaining(at), left: 0 });
  });

  test('unknown components are named with their version', async () => {
    const unknown: Part = { loader: 'PcaTransform', version: 0x00010002 };
    const newer = { ...parts.copy(['X', 'A']), version: 0x00020000 };
    const cases: [Part, string][] = [
      [unknown, 'transform PcaTransform of version 0x00010002'],
      [parts.convert('X', 'A', 11), 'a conversion to type 11'],
      [newer, 'CopyTransform of version 0x00020000'],
      [parts.regression('A', { loader: 'GamExec', version: 0x00010001 }), 'predictor GamExec of version 0x00010001'],
      [
        parts.binary('A', parts.calibrated(linear, { loader: 'PAVCaliExec', version: 0x00010001 })),
        'calibrator PAVCaliExec',
      ],
    ];
    for (const [part, message] of cases)
      expect(await faultOf(archiveOf([part], schema))).toEqual({
        code: 'ERR_MLNET_UNSUPPORTED',
        message: expect.stringContaining(message),
        left: 0,
      });
  });

  test('missing columns and columns of another type', async () => {
    const cases: [Uint8Array, string][] = [
      [archiveOf(good), '"A"'],
      [archiveOf(good, { A: 'Single', B: 'TextSpan' }), 'string'],
      [archiveOf([parts.regression('A', linear)], schema), '2 features'],
      [archiveOf([parts.keyToVector('Out', 'A')], schema), 'keys'],
    ];
    for (const [bytes, message] of cases) {
      const fault = await faultOf(bytes);
      expect([fault.code.replace('ERR_FLOUR_TYPE', 'ERR_MLNET_COLUMN'), fault.left]).toEqual(['ERR_MLNET_COLUMN', 0]);
      expect(fault.message).toContain(message);
    }
    expect(await faultOf(archiveOf(good, schema), { outputs: ['Nothing'] })).toMatchObject({
      code: 'ERR_MLNET_COLUMN',
    });
    expect(await faultOf(archiveOf(good, schema), { outputs: [] })).toMatchObject({ code: 'ERR_MLNET_OPTION' });
    expect(await faultOf(archiveOf(good, schema), { limits: { entries: -1 } })).toMatchObject({
      code: 'ERR_MLNET_OPTION',
    });
    expect(await faultOf(archiveOf(good, schema), { limits: { entries: 0 } })).toMatchObject({
      code: 'ERR_MLNET_LIMIT',
    });
  });

  test('limits are checked before anything is unpacked', async () => {
    const bomb = changed((files) => (files['Bomb\\Model.key'] = new Uint8Array(2 ** 22)));
    expect(bomb.length).toBeLessThan(2 ** 16);
    for (const [name, limit] of Object.entries({ fileBytes: 100, unpackedBytes: 2 ** 20, entries: 3 }))
      expect(await faultOf(bomb, { limits: { [name]: limit } })).toMatchObject({
        code: 'ERR_MLNET_LIMIT',
        message: expect.stringContaining(`limits.${name}`),
        left: 0,
      });
  });

  test('a small archive that declares a large size is refused before it is unpacked', async () => {
    const bomb = changed((files) => (files['Bomb\\Model.key'] = new Uint8Array(2 ** 26)));
    expect(bomb.length).toBeLessThan(2 ** 18);
    expect(await faultOf(bomb)).toMatchObject({
      code: 'ERR_MLNET_LIMIT',
      message: expect.stringContaining('limits.unpackedBytes'),
      left: 0,
    });
  });

  test('an entry that inflates beyond its declared size is refused at that size', async () => {
    const bytes = Buffer.from(changed((files) => (files['Bomb\\Model.key'] = new Uint8Array(2 ** 22))));
    const entry = centralEntry(bytes, 'Bomb\\Model.key');
    bytes.writeUInt32LE(448, entry + 24);
    const fault = await faultOf(bytes);
    expect(fault).toMatchObject({ code: 'ERR_MLNET_FORMAT', left: 0 });
    expect(fault.message).toContain('expected 448 bytes at entry "Bomb/Model.key", received more'.replace('/', '\\\\'));
  });

  test('a checksum detects one flipped bit of the content', async () => {
    const bytes = Buffer.from(zipSync(unzipSync(archiveOf(good, schema)), { level: 0 }));
    const content = bytes.indexOf('ML\0MODEL', 0, 'latin1');
    for (let bit = 0; bit < 8 * 270; bit += 7) {
      const flipped = Buffer.from(bytes);
      flipped[content + (bit >> 3)]! ^= 1 << (bit & 7);
      const fault = await faultOf(flipped);
      expect([bit, fault.code, fault.message]).toEqual([bit, 'ERR_MLNET_FORMAT', expect.stringContaining('CRC-32')]);
    }
  });

  test('the directory and the headers of entries agree', async () => {
    const bytes = Buffer.from(archiveOf(good, schema));
    const local = (name: string) => bytes.indexOf(name, 0, 'latin1');
    const cases: [(copy: Buffer) => void, string, string][] = [
      [(copy) => copy.write('Schemb', local('Schema'), 'latin1'), 'ERR_MLNET_FORMAT', 'name'],
      [(copy) => copy.writeUInt16LE(12, centralEntry(copy, 'Schema') + 10), 'ERR_MLNET_UNSUPPORTED', 'method 12'],
      [(copy) => copy.writeUInt16LE(1, centralEntry(copy, 'Schema') + 8), 'ERR_MLNET_UNSUPPORTED', 'encrypted'],
      [(copy) => copy.writeUInt32LE(2 ** 31, centralEntry(copy, 'Schema') + 42), 'ERR_MLNET_FORMAT', 'header'],
      [
        (copy) => copy.writeUInt32LE(2 ** 31, centralEntry(copy, 'Schema') + 20),
        'ERR_MLNET_FORMAT',
        'the end of the file',
      ],
      [(copy) => copy.writeUInt16LE(0xffff, copy.length - 12), 'ERR_MLNET_UNSUPPORTED', 'ZIP64'],
      [(copy) => copy.writeUInt16LE(99, copy.length - 12), 'ERR_MLNET_FORMAT', 'no entry'],
      [(copy) => copy.writeUInt32LE(copy.length, copy.length - 6), 'ERR_MLNET_FORMAT', 'directory'],
    ];
    for (const [change, code, message] of cases) {
      const copy = Buffer.from(bytes);
      change(copy);
      expect(await faultOf(copy)).toMatchObject({ code, message: expect.stringContaining(message), left: 0 });
    }
  });

  test('the layout of ML.NET before 1.0 is unsupported, not damaged', async () => {
    const old = changed((files) => {
      const key = files['TransformerChain\\Model.key']!;
      for (const path of Object.keys(files)) if (path.startsWith('TransformerChain')) delete files[path];
      files['Predictor\\Model.key'] = key;
    });
    const fault = await faultOf(old);
    expect(fault).toMatchObject({ code: 'ERR_MLNET_UNSUPPORTED', left: 0 });
    expect(fault.message).toContain('before 1.0');
  });

  test('weights that a small archive declares are counted', async () => {
    const wide = {
      ...linear,
      write: (to: Body) =>
        to
          .int(4)
          .float(0)
          .int(2 ** 25)
          .ints([0])
          .floats([1]),
    };
    const bytes = archiveOf([parts.regression('A', wide)], { A: ['Single', 2 ** 25] });
    expect(bytes.length).toBeLessThan(2000);
    expect(await faultOf(bytes)).toMatchObject({
      code: 'ERR_MLNET_LIMIT',
      message: expect.stringContaining('limits.elements'),
      left: 0,
    });
  });

  test('the size of columns that are joined repeatedly is limited', async () => {
    const twice = Array.from({ length: 40 }, () => parts.concat('A', 'A', 'A'));
    expect(await faultOf(archiveOf(twice, schema))).toMatchObject({ code: 'ERR_FLOUR_SIZE', left: 0 });
  });

  test('wrong bytes', async () => {
    const { refused } = await checkDamage(80);
    expect(refused).toBeGreaterThan(10);
  });
});
