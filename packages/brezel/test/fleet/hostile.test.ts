import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  BrezelError,
  createFlour,
  createRuntime,
  importOnnx,
  loadNative,
  type OwnedPlan,
  openFleet,
  openStore,
  packFleet,
} from 'brezel';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FleetT } from '../../../fleet-file/src/generated/fleet.js';
import type { StepT } from '../../../fleet-file/src/generated/step.js';
import { temporaryFolder } from './folder.js';
import { blobsOf, checksumAt, forge, forgeBlob, forgeGolden, join, partsOf, setChecksum, unpack } from './forge.js';

const folder = temporaryFolder();
afterAll(folder.remove);
/**
 * The data type of bytes in a private format, such as a compiled dictionary, as a number in
 * fleet.fbs.
 */
const BLOB = 6;
/** The kind of the type `tokens` (a list of tokens), as a number in fleet.fbs. */
const TOKENS = 3;
const whole = folder.path('whole.brezel');
const forged = folder.path('forged.brezel');
const model = fileURLToPath(new URL('../../../../examples/models/sa-fam-a-00.onnx', import.meta.url));

beforeAll(async () => {
  const flour = await createFlour();
  const plan = importOnnx(readFileSync(model), flour).program.plan();
  await packFleet([plan], whole, { store: flour.store });
  plan.release();
  // A parameter in memory would be shared, even if the file contains other bytes.
  flour.dispose();
});

/**
 * Returns code and message of the error with which opening or registering the forged file fails.
 * The code is `opened` if nothing fails. After an error, nothing may stay in the store.
 */
async function refusal(verify = true): Promise<{ code: string; message: string }> {
  const store = await openStore();
  await using runtime = createRuntime({ store });
  try {
    using fleet = await openFleet(forged, { store, verify });
    for (const name of fleet.names) {
      const plan = fleet.plan(name);
      try {
        runtime.unregister(runtime.register(plan));
      } finally {
        plan.release();
      }
    }
  } catch (error) {
    if (!(error instanceof BrezelError)) throw error;
    expect(store.stats().objects).toBe(0);
    return error;
  }
  return { code: 'opened', message: '' };
}

const disposable = (plan: OwnedPlan) => Object.assign(Object.create(plan), { [Symbol.dispose]: () => plan.release() });

/**
 * Replaces every node of an n-gram dictionary (native/README.md, section 3) by an unknown one.
 */
function unknownNodes({ buffer, byteOffset }: Uint8Array): void {
  const header = new Uint32Array(buffer, byteOffset, 25);
  const nodes = (start: number, count: number) => new Uint32Array(buffer, byteOffset + start, count).fill(0xfffffff0);
  for (let bucket = 0; bucket < header[6]!; bucket++) nodes(header[7]! + 64 * bucket + 48, 3);
  for (let bucket = 0; bucket < header[8]!; bucket++) nodes(header[9]! + 64 * bucket + 40, 5);
  for (let n = 1; n <= header[19]!; n++) nodes(header[19 + n]!, header[15]! ** n);
}

const step = (fleet: FleetT, operator: string): StepT =>
  fleet.programs.flatMap((program) => program.steps).find((one) => one.operator === operator)!;

describe('a well-formed manifest with wrong values', () => {
  test.each<[string, RegExp, (fleet: FleetT) => void]>([
    ['nothing', /^opened/, () => undefined],
    ['a blob beyond the section', /^ERR_STORE_FORMAT .*blob 3/, (fleet) => (blobsOf(fleet).offsets[3] = 2 ** 40)],
    ['a blob over another', /^ERR_STORE_FORMAT .*blob 3/, (fleet) => (blobsOf(fleet).offsets[3] = 128)],
    ['a blob that is not aligned', /^ERR_STORE_FORMAT .*blob 0/, (fleet) => (blobsOf(fleet).offsets[0]! += 1)],
    ['a longer blob', /^ERR_STORE_FORMAT .*blob \d/, (fleet) => (blobsOf(fleet).lengths[2]! += 2 ** 20)],
    [
      'a blob of another type',
      /^ERR_STORE_FORMAT .*blob/,
      (fleet) => (blobsOf(fleet).dtypes[blobsOf(fleet).dtypes.indexOf(0)] = 1),
    ],
    [
      'a shape beyond numbers',
      /^ERR_STORE_FORMAT .*blob 0/,
      (fleet) => {
        blobsOf(fleet).ranks[0] = 2;
        blobsOf(fleet).axes.splice(0, 1, 2 ** 40, 2 ** 40);
      },
    ],
    [
      'an input that no row can have',
      /^ERR_STORE_FORMAT .*dictionary.*input 0/,
      (fleet) => {
        for (const { type } of fleet.shapes[0]!.inputs) type!.kind = TOKENS;
      },
    ],
    [
      'an endless stage',
      /^ERR_STORE_FORMAT .*out of range/,
      (fleet) => (fleet.shapes[0]!.wiring[0]!.nanosPerRow = Number.POSITIVE_INFINITY),
    ],
    ['an endless row', /^ERR_STORE_FORMAT .*cost/, (fleet) => (fleet.shapes[0]!.nanosPerRow = 1e300)],
    ['a shape with half an element', /^ERR_STORE_FORMAT .*whole number/, (fleet) => (blobsOf(fleet).axes[0] = 0.5)],
    ['a place that is no number', /^ERR_STORE_FORMAT .*a multiple of 64/, (fleet) => (blobsOf(fleet).offsets[1] = NaN)],
    ['a type too few', /^ERR_STORE_FORMAT .*columns/, (fleet) => blobsOf(fleet).dtypes.pop()],
    ['an axis too many', /^ERR_STORE_FORMAT .*columns/, (fleet) => blobsOf(fleet).axes.push(1)],
    ['ranks beyond the axes', /^ERR_STORE_FORMAT .*columns/, (fleet) => (blobsOf(fleet).ranks[0] = 255)],
    ['a digit too many', /^ERR_STORE_FORMAT .*checksum/, (fleet) => (blobsOf(fleet).checksums += '0')],
    ['digits that are none', /^ERR_STORE_FORMAT .*checksum/, (fleet) => setChecksum(blobsOf(fleet), 0, 'g'.repeat(32))],
    [
      'a blob too many',
      /^ERR_STORE_FORMAT .*blob/,
      (fleet) => {
        const blobs = blobsOf(fleet);
        for (const list of [blobs.dtypes, blobs.ranks, blobs.offsets, blobs.lengths]) list.push(list.at(-1)!);
        blobs.axes.push(...blobs.axes.slice(-blobs.ranks.at(-1)!));
        blobs.checksums += '0'.repeat(32);
      },
    ],
    [
      'a checksum of another blob',
      /^ERR_STORE_DAMAGED .*byte/,
      (fleet) => setChecksum(blobsOf(fleet), 0, checksumAt(blobsOf(fleet), 1)),
    ],
    ['a stage that is not there', /^ERR_STORE_FORMAT .*stage 99/, (fleet) => (fleet.plans[0]!.stages[0] = 99)],
    ['a program that is not there', /^ERR_STORE_FORMAT .*program 99/, (fleet) => (fleet.stages[0]!.program = 99)],
    [
      'a parameter that is not there',
      /^ERR_STORE_FORMAT .*stage 0/,
      (fleet) => (fleet.stages[0]!.parameters[0] = 9999),
    ],
    [
      'a dictionary in place of a value',
      /^ERR_FLEET_STAGE .*a blob for a kernel/,
      (fleet) => {
        // The first parameters of a stage belong to its steps. A step with a parameter reads its
        // value.
        const program = fleet.programs.findIndex((one) => one.steps.some((each) => each.parameters.length > 0));
        const stage = fleet.stages.find((one) => one.program === program)!;
        stage.parameters[0] = blobsOf(fleet).dtypes.indexOf(BLOB);
      },
    ],
    ['a parameter too few', /^ERR_STORE_FORMAT .*parameters/, (fleet) => fleet.stages[0]!.parameters.pop()],
    ['stages the other way round', /^ERR_STORE_FORMAT .*stage/, (fleet) => fleet.plans[0]!.stages.reverse()],
    [
      'a slot that is not written yet',
      /^ERR_STORE_FORMAT .*stage 0/,
      (fleet) => (fleet.shapes[0]!.wiring[0]!.inputs[0] = 3),
    ],
    ['an output of another type', /^ERR_STORE_FORMAT .*output/, (fleet) => (fleet.shapes[0]!.outputs[0]!.slot = 0)],
    [
      'two outputs of one name',
      /^ERR_STORE_FORMAT .*outputs/,
      (fleet) => (fleet.shapes[0]!.outputs[0]!.name = fleet.shapes[0]!.outputs[1]!.name),
    ],
    ['an answer of terabytes', /^ERR_STORE_FORMAT/, (fleet) => (step(fleet, 'linear').type!.size = 2 ** 31)],
    ['another type of a step', /^ERR_FLEET_STAGE .*linear/, (fleet) => (step(fleet, 'linear').type!.size += 1)],
    [
      'an unknown operator',
      /^ERR_FLEET_STAGE .*magic.*unknown operator/,
      (fleet) => (step(fleet, 'linear').operator = 'magic'),
    ],
    ['an operator of another version', /^ERR_FLEET_STAGE .*version 7/, (fleet) => (step(fleet, 'linear').version = 7)],
    [
      'attributes that are no JSON',
      /^ERR_STORE_FORMAT .*attributes/,
      (fleet) => (step(fleet, 'ngram').attributes = '{'),
    ],
    [
      'attributes of another form',
      /^ERR_FLEET_STAGE .*ngram/,
      (fleet) => (step(fleet, 'ngram').attributes = '{"columns": "x"}'),
    ],
    [
      'attributes that are deep',
      /^ERR_STORE_FORMAT/,
      (fleet) => (step(fleet, 'ngram').attributes = `{"a": ${'['.repeat(1e5)}${']'.repeat(1e5)}}`),
    ],
    ['a step that reads itself', /^ERR_STORE_FORMAT .*step/, (fleet) => (fleet.programs[0]!.steps[0]!.inputs[0] = 1)],
    [
      'a call that reads what is written later',
      /^ERR_STORE_FORMAT .*call/,
      (fleet) => (fleet.programs[0]!.calls[0]!.inputs[0] = fleet.programs[0]!.calls[0]!.output),
    ],
    [
      'a call written twice',
      /^ERR_STORE_FORMAT .*call 1/,
      (fleet) => (fleet.programs[0]!.calls[1]!.output = fleet.programs[0]!.calls[0]!.output),
    ],
    [
      'a call that does nothing, to nothing',
      /^ERR_STORE_FORMAT .*alias/,
      (fleet) => {
        const [call] = fleet.programs[0]!.calls;
        Object.assign(call!, { kernel: 'alias', inputs: [] });
      },
    ],
    [
      'a text in the place of its n-grams',
      /^ERR_STORE_FORMAT .*alias/,
      (fleet) => (fleet.programs[0]!.calls[0]!.kernel = 'alias'),
    ],
    [
      'a call without its kernel’s parameters',
      /^ERR_FLEET_STAGE .*parameters that its steps do not have/,
      (fleet) => {
        const linear = fleet.programs.flatMap((one) => one.calls).find((call) => call.kernel === 'linear')!;
        const program = fleet.programs.find((one) => one.calls.includes(linear))!;
        const behind = program.calls
          .slice(program.calls.indexOf(linear))
          .reduce((sum, call) => sum + call.parameters, 0);
        for (const stage of fleet.stages.filter((one) => fleet.programs[one.program] === program))
          stage.parameters.splice(stage.parameters.length - behind, linear.parameters);
        linear.parameters = 0;
      },
    ],
    [
      'attributes of a kernel that are no integers',
      /^ERR_STORE_FORMAT .*integer/,
      (fleet) => (fleet.programs[0]!.calls[0]!.attributes = [0.5]),
    ],
    [
      'golden rows of another length',
      /^opened/,
      (fleet) => forgeGolden(fleet.plans[0]!, (golden) => (golden.rows = 1000)),
    ],
    ['plans of another version', /^ERR_STORE_VERSION/, (fleet) => (fleet.plans[0]!.version = 99)],
    ['two plans with the same name', /^ERR_STORE_FORMAT .*the same name/, (fleet) => fleet.plans.push(fleet.plans[0]!)],
    [
      'a name that objects have',
      /^ERR_STORE_FORMAT .*__proto__/,
      (fleet) => (fleet.shapes[0]!.outputs[0]!.name = '__proto__'),
    ],
  ])('%s', async (_, expected, lie) => {
    forge(whole, forged, (fleet) => void lie(fleet));
    const { code, message } = await refusal();
    expect(`${code} ${message}`).toMatch(expected);
  });

  test('a duplicate parameter is an error if the file is verified, and shared otherwise', async () => {
    forge(whole, forged, (fleet) => {
      const blobs = blobsOf(fleet);
      const kinds = [...blobs.dtypes].map(
        (dtype, number) => `${dtype} ${blobs.ranks[number]} ${blobs.lengths[number]}`,
      );
      // Finds two parameters of one type and length: the frequencies and the weights.
      const second = kinds.findLastIndex((kind, number) => kinds.indexOf(kind) < number);
      expect(second).toBeGreaterThan(0);
      setChecksum(blobs, second, checksumAt(blobs, kinds.indexOf(kinds[second]!)));
    });
    expect(await refusal()).toMatchObject({
      code: 'ERR_STORE_FORMAT',
      message: expect.stringMatching(/duplicate parameter/),
    });
    expect(await refusal(false)).toMatchObject({ code: 'opened' });
  });

  test('invalid golden rows are reported when they are replayed', async () => {
    forge(whole, forged, (fleet) => {
      forgeGolden(fleet.plans[0]!, (golden) => (golden.rows = 1000));
    });
    using fleet = await openFleet(forged);
    await expect(fleet.replay()).rejects.toMatchObject({ code: 'ERR_STORE_FORMAT' });
  });

  test('different answers are reported with their locations', async () => {
    forge(whole, forged, (fleet) => {
      forgeGolden(fleet.plans[0]!, ({ numbers }) => (numbers[1]! += 1e-9));
    });
    using fleet = await openFleet(forged);
    const { differences } = await fleet.replay();
    expect(differences).toMatchObject([{ plan: 'sa-fam-a-00', row: 0, output: 'probabilities' }]);
  });

  test('wrong keys of stages are replaced when the file is verified', async () => {
    forge(whole, forged, (fleet) => {
      for (const [number, stage] of fleet.stages.entries()) stage.key = `same${number}`;
    });
    using lying = await openFleet(forged);
    using honest = await openFleet(whole);
    const keys = (fleet: typeof honest) => fleet.describe('sa-fam-a-00').stages.map(({ stage }) => stage.key);
    expect(keys(lying)).toEqual(keys(honest));
  });

  test('an unverified stage with the key of another stage is rejected', async () => {
    forge(whole, forged, (fleet) => {
      for (const stage of fleet.stages) stage.key = 'same';
    });
    expect(await refusal(false)).toMatchObject({
      code: 'ERR_RUNTIME_STAGE',
      message: expect.stringContaining('at stage same'),
    });
  });

  test('a kernel named like a property of Object.prototype is an unknown kernel', async () => {
    forge(whole, forged, ({ programs }) => {
      for (const { calls } of programs) calls[0]!.kernel = 'toString';
    });
    const store = await openStore();
    using fleet = await openFleet(forged, { store, verify: false });
    const plan = fleet.plan(fleet.names[0]!);
    for (const native of loadNative().addon === undefined ? [false] : [false, true]) {
      await using runtime = createRuntime({ store, native });
      const registered = runtime.register(plan);
      const row = { text: 'a good film' };
      const [want] = await runtime.predictBatch(registered, [row], { engine: 'reference' });
      expect(runtime.predictSync(registered, row)).toEqual(want);
      runtime.unregister(registered);
    }
    plan.release();
  });

  test('unverified programs with one checksum run separately', async () => {
    const text = 'a good film';
    const answer = async (path: string, verify: boolean) => {
      using fleet = await openFleet(path, { verify });
      await using runtime = createRuntime({ store: fleet.store });
      using plan = disposable(fleet.plan('sa-fam-a-00'));
      return runtime.predictSync(runtime.register(plan), { text });
    };
    forge(whole, forged, (fleet) => {
      expect(fleet.programs.length).toBeGreaterThan(1);
      for (const program of fleet.programs) program.checksum = 'same';
    });
    expect(await answer(forged, false)).toEqual(await answer(whole, true));
  });

  test('a million tables that share their bytes are rejected immediately', async () => {
    const { front, manifest } = partsOf(whole);
    // Every list of the root points to the first list. No writer creates such a manifest, and a
    // reader would read the list several times.
    const changed = Buffer.from(manifest);
    const root = changed.readUInt32LE(0);
    const vtable = root - changed.readInt32LE(root);
    const first = changed.readUInt16LE(vtable + 4 + 2);
    for (const field of [2, 3, 4, 5]) changed.writeUInt16LE(first, vtable + 4 + 2 * field);
    join(forged, { front, manifest: changed });
    expect(await refusal()).toMatchObject({ code: 'ERR_STORE_FORMAT' });
  });
});

describe('labels that differ from their table', () => {
  const labelled = folder.path('labelled.brezel');
  beforeAll(async () => {
    const flour = await createFlour();
    const plan = flour
      .input('x', { kind: 'vector', dtype: 'float32', size: 3 })
      .unsafeAs('vector')
      .linear({ weights: new Float32Array([1, 0, 0, 0, 1, 0, 0, 0, 1]), bias: new Float32Array(3) })
      .argMax()
      .labels(['ant', 'bee', 'cat'])
      .plan();
    await packFleet([{ plan, name: 'insects' }], labelled, { store: flour.store });
    plan.release();
    flour.dispose();
  });

  const lookUp = (fleet: FleetT) =>
    fleet.programs.flatMap((program) => program.calls).find((call) => call.kernel === 'lookup')!;
  const port = (fleet: FleetT) => fleet.shapes[0]!.outputs[0]!;

  // Without verification, opening also detects faults outside the entries of tables.
  test.each<[string, RegExp, (fleet: FleetT) => void, boolean]>([
    ['nothing', /^opened/, () => undefined, true],
    ['another word', /^ERR_FLEET_LABELS .*label 1 "bee".*"wasp"/, (fleet) => (port(fleet).labels[1] = 'wasp'), false],
    ['words in another order', /^ERR_FLEET_LABELS .*label 0/, (fleet) => port(fleet).labels.reverse(), false],
    [
      'a label too few',
      /^ERR_FLEET_LABELS .*below 2 at plan "insects", output "output".*3/,
      (fleet) => port(fleet).labels.pop(),
      true,
    ],
    ['a label too many', /^ERR_FLEET_LABELS .*below 4/, (fleet) => port(fleet).labels.push('dog'), true],
    ['numbers beyond the labels', /^ERR_FLEET_LABELS .*below 3/, (fleet) => (lookUp(fleet).attributes[0] = 4), true],
    [
      'both, beyond the table',
      /^ERR_FLEET_LABELS .*3 labels, as in the table/,
      (fleet) => {
        port(fleet).labels.push('dog');
        lookUp(fleet).attributes[0] = 4;
      },
      true,
    ],
    ['one label twice', /^ERR_FLEET_LABELS .*duplicate label/, (fleet) => (port(fleet).labels[1] = 'ant'), true],
  ])('%s', async (_, expected, lie, isCounted) => {
    forge(labelled, forged, (fleet) => void lie(fleet));
    for (const verify of [true, false]) {
      const { code, message } = await refusal(verify);
      expect(`${code} ${message}`).toMatch(verify || isCounted ? expected : /^opened/);
    }
  });

  test('a lookup whose table has another name', async () => {
    forge(labelled, forged, (fleet) => {
      const step = fleet.programs.flatMap(({ steps }) => steps).find(({ operator }) => operator === 'lookup')!;
      step.parameters = ['list'];
    });
    expect(await refusal(true)).toMatchObject({ code: expect.stringMatching(/^ERR_FLEET_(STAGE|LABELS)$/) });
    expect(await refusal(false)).toMatchObject({ code: 'ERR_FLEET_LABELS' });
  });

  test('labels of an output without a lookup', async () => {
    forge(whole, forged, (fleet) => {
      const numeric = fleet.shapes[0]!.outputs.find((one) => one.labels.length === 0)!;
      numeric.labels = ['no', 'yes'];
    });
    expect(await refusal()).toMatchObject({ code: 'ERR_FLEET_LABELS' });
  });
});

describe('kernel calls that differ from their steps, without verification', () => {
  const call = (fleet: FleetT, kernel: string) =>
    fleet.programs.flatMap(({ calls }) => calls).find((one) => one.kernel === kernel)!;

  /** Returns the code with which a runtime rejects the plan, in the addon or in JavaScript. */
  async function codeOf(native: boolean): Promise<string> {
    const store = await openStore({ native });
    using fleet = await openFleet(forged, { store, verify: false });
    await using runtime = createRuntime({ store, native, executors: 0 });
    let plan: OwnedPlan | undefined;
    try {
      plan = fleet.plan('sa-fam-a-00');
      runtime.predictSync(runtime.register(plan), 'a good film');
      return 'answered';
    } catch (error) {
      if (!(error instanceof BrezelError)) throw error;
      return error.code;
    } finally {
      plan?.release();
    }
  }

  test.each<[string, (fleet: FleetT) => void]>([
    ['an input that no step reads', (fleet) => (call(fleet, 'normalize').inputs = [3])],
    ['an input twice, of which no step reads one', (fleet) => (call(fleet, 'linear').inputs = [0, 0])],
    ['an input less', (fleet) => call(fleet, 'linear').inputs.pop()],
    ['an input that a step of the call writes', (fleet) => (call(fleet, 'text_ngram').inputs = [0, 1])],
  ])('%s: every engine rejects the file', async (_, change) => {
    forge(whole, forged, (fleet) => void change(fleet));
    for (const native of [false, loadNative().addon !== undefined])
      expect(await codeOf(native)).toBe('ERR_STORE_FORMAT');
  });

  test.each<[string, (fleet: FleetT) => void]>([
    ['a norm that does not exist', (fleet) => (call(fleet, 'normalize').attributes = [3])],
    ['an attribute too many', (fleet) => (call(fleet, 'weight').attributes = [0])],
    ['the kernel of another step', (fleet) => (call(fleet, 'weight').kernel = 'normalize')],
    ['a kernel of numbers for texts', (fleet) => (call(fleet, 'text_ngram').kernel = 'linear')],
    ['a way to count that does not exist', (fleet) => (call(fleet, 'text_ngram').attributes = [3])],
    [
      'a parameter of the next call',
      (fleet) => {
        call(fleet, 'text_ngram').parameters++;
        call(fleet, 'weight').parameters--;
      },
    ],
  ])('%s: every engine rejects the plan', async (_, change) => {
    forge(whole, forged, (fleet) => void change(fleet));
    for (const native of [false, loadNative().addon !== undefined])
      expect(await codeOf(native)).toBe('ERR_RUNTIME_NATIVE');
  });
});

describe('parameters with correct checksums and wrong values', () => {
  /**
   * Returns the number of the parameter that starts with `magic`. Of two dictionaries, it is the
   * dictionary with words, because the other has only direct tables.
   */
  const blobOf = (magic: string) => {
    const { front, manifest } = partsOf(whole);
    return blobsOf(unpack(manifest)).offsets.findIndex((at) => {
      return front.toString('latin1', at, at + 4) === magic && (magic === 'BZTK' || front.readUInt32LE(at + 6 * 4) > 0);
    });
  };

  test.each([
    ['a dictionary of another magic', 'BZNG', (bytes: Buffer) => bytes.writeUInt32LE(1, 0)],
    ['a dictionary whose tables lie outside', 'BZNG', (bytes: Buffer) => bytes.writeUInt32LE(0xffffff00, 7 * 4)],
    [
      'a dictionary of chains without an end',
      'BZNG',
      (bytes: Buffer) => {
        for (const field of [6, 8]) {
          const [buckets, table] = [bytes.readUInt32LE(field * 4), bytes.readUInt32LE(field * 4 + 4)];
          for (let bucket = 0; bucket < buckets; bucket++) bytes.writeUInt32LE(1, table + bucket * 64 + 60);
        }
      },
    ],
    ['a text program whose pages lie outside', 'BZTK', (bytes: Buffer) => bytes.writeUInt32LE(0xffffff00, 5 * 4)],
  ])('%s', async (_, magic, change) => {
    const number = blobOf(magic);
    expect(number).toBeGreaterThanOrEqual(0);
    forgeBlob(whole, forged, number, (bytes) => void change(bytes));
    expect((await refusal()).code).toBe('ERR_FLEET_STAGE');
    expect((await refusal(false)).code).toBe('ERR_RUNTIME_NATIVE');
    const store = await openStore({ native: false });
    await expect(openFleet(forged, { store })).rejects.toThrow(expect.objectContaining({ code: 'ERR_FLEET_STAGE' }));
    using fleet = await openFleet(forged, { store, verify: false });
    await using runtime = createRuntime({ store, native: false });
    const refused = expect.objectContaining({ code: 'ERR_RUNTIME_NATIVE' });
    expect(() => runtime.register(fleet.plan('sa-fam-a-00'))).toThrow(refused);
  });

  test.skipIf(!loadNative().addon)(
    'unverified, operators are checked when JavaScript is to run or read them',
    async () => {
      forge(whole, forged, (fleet) => (step(fleet, 'ngram').attributes = '{}'));
      const store = await openStore();
      const fault = expect.objectContaining({ code: 'ERR_FLEET_STAGE' });
      await expect(openFleet(forged, { store })).rejects.toThrow(fault);
      {
        using fleet = await openFleet(forged, { store, verify: false });
        using plan = disposable(fleet.plan('sa-fam-a-00'));
        await using runtime = createRuntime({ store });
        const registered = runtime.register(plan);
        expect(runtime.predictSync(registered, 'a good film')).toMatchObject({ label: expect.anything() });
        for (let again = 0; again < 2; again++)
          await expect(runtime.predictBatch(registered, ['a good film'], { engine: 'reference' })).rejects.toThrow(
            fault,
          );
        expect(() => runtime.register(plan, { device: 'auto' })).toThrow(fault);
        await using wasm = createRuntime({ store, native: false });
        expect(wasm.predictSync(wasm.register(plan), 'a good film')).toMatchObject({ label: expect.anything() });
      }
      expect(store.stats().objects).toBe(0);
    },
  );

  test.skipIf(!loadNative().addon)('a dictionary whose nodes are not there finds nothing', async () => {
    const NGRAMS = 0x474e5a42;
    const blobs = blobsOf(unpack(partsOf(whole).manifest));
    const { front } = partsOf(whole);
    // Dictionaries of single words are stop words in this file. Registering a plan reads them
    // completely.
    const isNgrams = (offset: number) => front.readUInt32LE(offset) === NGRAMS && front.readUInt32LE(offset + 16) > 1;
    const found = [...blobs.dtypes.keys()].filter((at) => blobs.dtypes[at] === BLOB && isNgrams(blobs.offsets[at]!));
    expect(found.length).toBeGreaterThan(0);
    for (const [at, number] of found.entries()) forgeBlob(at === 0 ? whole : forged, forged, number, unknownNodes);
    const store = await openStore();
    await expect(openFleet(forged, { store })).rejects.toThrow(expect.objectContaining({ code: 'ERR_FLEET_STAGE' }));
    using fleet = await openFleet(forged, { store, verify: false });
    using plan = disposable(fleet.plan('sa-fam-a-00'));
    for (const isa of loadNative().addon!.isas()) {
      await using runtime = createRuntime({ store, isa });
      const registered = runtime.register(plan);
      expect(runtime.predictSync(registered, 'a good film')).toEqual(runtime.predictSync(registered, ''));
    }
  });

  test.skipIf(!loadNative().addon)(
    'taken unverified, one that lies about its checksum is found out by who verifies',
    async () => {
      const parts = partsOf(whole);
      const { dtypes, offsets } = blobsOf(unpack(parts.manifest));
      const front = Buffer.from(parts.front);
      front[offsets[dtypes.lastIndexOf(0)]!]! ^= 1;
      join(forged, { ...parts, front });
      using lying = await openFleet(forged, { verify: false });
      const taken = lying.plan('sa-fam-a-00');
      await expect(openFleet(whole)).rejects.toThrow(expect.objectContaining({ code: 'ERR_STORE_CHECKSUM' }));
      taken.release();
      lying.close();
      using honest = await openFleet(whole);
      honest.plan('sa-fam-a-00').release();
    },
  );
});
