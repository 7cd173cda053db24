import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createFlour, drawPlans, explain, type FlourContext, importOnnx, measurePlan, type Program } from 'brezel';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPipeline, pipelineShape } from '../conformance/random-programs.js';
import { seed } from '../conformance/seed.js';
import { crowdedTexts, geometryFaults, type Picture, readPicture } from './picture.js';

/** The number of random pictures. picture.long.test.ts sets a larger number. */
const RUNS = Number(process.env.BREZEL_PICTURE_RUNS ?? 12);

let flour: FlourContext;
let family: Program[];
beforeAll(async () => {
  flour = await createFlour();
  family = members(4);
});
afterAll(() => flour.dispose());

/** The first models of the examples. */
const members = (length: number): Program[] =>
  Array.from({ length }, (_, member) => {
    const file = new URL(`../../../../examples/models/sa-fam-a-0${member}.onnx`, import.meta.url);
    return importOnnx(readFileSync(fileURLToPath(file)), flour).program;
  });

/** Draws programs, and checks the geometry of the picture. */
async function drawn(...[programs, options]: Parameters<typeof drawPlans>): Promise<Picture> {
  const picture = readPicture(await drawPlans(programs, options));
  expect(geometryFaults(picture)).toEqual([]);
  expect(crowdedTexts(picture)).toEqual([]);
  return picture;
}
const wordsOf = ({ texts }: Picture) => texts.map((text) => text.content);
const cardsOf = ({ cards }: Picture, kind: string) => cards.filter((card) => card.kind === `bz-${kind}`);

function scoreOf(name: string, input: string, output: string): Program {
  const counts = flour
    .columns({ [input]: 'string' })
    .select(input)
    .tokenize()
    .wordNgram({ vocabulary: [['good'], ['bad']] });
  return flour.program({ [output]: counts.logistic({ weights: [1, -1] }) }, { name });
}

describe('the picture of one plan', () => {
  it('shows stages with operators, kernels, parameters and types', async () => {
    const picture = await drawn(family[0]!);
    expect(cardsOf(picture, 'stage')).toHaveLength(3);
    expect(cardsOf(picture, 'input')).toHaveLength(1);
    expect(cardsOf(picture, 'output')).toHaveLength(1);
    expect(picture.arrows).toHaveLength(2 + 2 + 2);
    const words = wordsOf(picture);
    for (const shown of [
      'Stage 1 · featurizer',
      'text_ngram',
      '1- to 2-grams, 1200 columns',
      'text_ngram: dictionary',
      'sparse float32[1000]',
    ])
      expect(words).toContain(shown);
    expect(words.join()).not.toContain('shared by');
    expect(picture.title).toBe('sa-fam-a-00: plan');
    expect(picture.description).toContain('Inputs: text : text');
  });

  it('shows times of a measured plan', async () => {
    const measurements = [await measurePlan(family[0]!, [{ text: 'a good film' }], { durationMs: 1 })];
    const picture = await drawn(family[0]!, { measurements });
    expect(wordsOf(picture).filter((word) => /^[\d.]+ [µm]s a row$/.test(word))).toHaveLength(3);
    expect(wordsOf(picture).filter((word) => /^a row: reads 11 B, writes \d+ B$/.test(word))).toHaveLength(2);
  });

  it('marks stages that run in JavaScript', async () => {
    const tokens = flour
      .columns({ text: 'string' })
      .select('text')
      .tokenize({ by: { pattern: '[a-z]+ing|[0-9]{2}' } });
    const score = tokens.wordNgram({ vocabulary: [['42']] }).logistic({ weights: [1] });
    const words = wordsOf(await drawn(flour.program({ score })));
    expect(words).toContain('JavaScript');
    expect(words).toContain('stage 1 runs in JavaScript: operators without a kernel');
    expect(words).toContain('runs in JavaScript');
  });

  it('has no stage if the answer is the input', async () => {
    const picture = await drawn(flour.program({ y: flour.columns({ x: 'float32' }).select('x') }));
    expect(picture.arrows).toHaveLength(1);
    expect(cardsOf(picture, 'stage')).toEqual([]);
  });

  it('is wide or high for a plan with many branches', async () => {
    const text = flour.columns({ text: 'string' }).select('text');
    const branch = (n: number) =>
      text
        .tokenize({ minLength: n })
        .wordNgram({ vocabulary: [[`word${n}`]] })
        .normalize('l2');
    const features = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].reduce((sum, n) => sum.concat(branch(n)), branch(1));
    const picture = await drawn(flour.program({ score: features.logistic({ weights: new Array(12).fill(1) }) }));
    expect(cardsOf(picture, 'stage')).toHaveLength(13);
  });
});

describe('the picture of a fleet', () => {
  it('shows shared stages and parameters once, and marks them', async () => {
    const picture = await drawn(family);
    expect(cardsOf(picture, 'stage')).toHaveLength(2 + 4);
    expect(cardsOf(picture, 'output')).toHaveLength(4);
    const words = wordsOf(picture);
    expect(words.filter((word) => word === 'shared by all 4 models')).toHaveLength(2);
    expect(words.filter((word) => word === 'lookup.table in 4 stages')).toHaveLength(4);
    expect(words).toContain('6 stages instead of 12');
  });

  it('shows inputs with equal names and types once, and the number of plans that share a stage', async () => {
    const other = scoreOf('other', 'review', 'score');
    const picture = await drawn([family[0]!, family[1]!, other], { names: ['one', 'two', 'three'] });
    expect(cardsOf(picture, 'input')).toHaveLength(2);
    expect(wordsOf(picture).filter((word) => word === 'shared by 2 of 3 models')).toHaveLength(2);
    expect(wordsOf(picture)).toContain('Model of three');
  });

  it('shows equal models once, with their names and the bytes of all parameters', async () => {
    const programs = members(10);
    const picture = await drawn(programs);
    expect(cardsOf(picture, 'stage')).toHaveLength(2 + 1);
    expect(cardsOf(picture, 'output')).toHaveLength(1);
    expect(picture.arrows).toHaveLength(2 + 2 + 2);
    const words = wordsOf(picture);
    for (const shown of [
      'Model of 10 models',
      '10 equal models',
      'sa-fam-a-00',
      'sa-fam-a-06',
      '3 more',
      '10 × 4 parameters, 88.1 KB in all',
      'shared by all 10 models',
      'equal stages of several models, with different parameters',
    ])
      expect(words).toContain(shown);
    // a model with another vocabulary has a separate box and a name
    const mixed = await drawn([...programs.slice(0, 5), scoreOf('other', 'review', 'score')]);
    expect(wordsOf(mixed)).toContain('5 equal models');
    expect(wordsOf(mixed)).toContain('Model of other');
    expect(cardsOf(mixed, 'output')).toHaveLength(2);
    expect(wordsOf(await drawn(programs.slice(0, 4)))).not.toContain('4 equal models');
  });

  it('has equal models with times of the first model', async () => {
    const programs = members(5);
    const measurements = await Promise.all(
      programs.map((program) => measurePlan(program, [{ text: 'a good film' }], { durationMs: 1 })),
    );
    const picture = await drawn(programs, { measurements });
    expect(wordsOf(picture)).toContain('share of the row time in the first model that runs it');
  });

  it('has a dark color for each color', async () => {
    const svg = await drawPlans(members(10), {});
    const [, style] = /<style>(.*)<\/style>/.exec(svg)!;
    const body = svg.replace(style!, '');
    const used = new Set(Array.from(body.matchAll(/(fill|stroke)="(#[0-9a-f]{6})"/g), ([attribute]) => attribute));
    expect(used.size).toBeGreaterThan(8);
    for (const attribute of used) expect(style).toContain(`.bz-plan [${attribute}]{`);
    expect(style).toContain('@media (prefers-color-scheme:dark)');
  });

  it('is the same each time it is drawn', async () => {
    expect(await drawPlans(family)).toBe(await drawPlans(family));
  });

  it('rejects measurements of other plans, and an empty list of programs', async () => {
    const measurements = [await measurePlan(family[1]!, ['fine'], { durationMs: 1 })];
    await expect(drawPlans(family[0]!, { measurements })).rejects.toMatchObject({ code: 'ERR_OVEN_MEASUREMENT' });
    expect(() => explain(scoreOf('a', 'b', 'c'), { measurements })).toThrow(
      'the 2 stages of the plan at a, received a measurement of 3 stages',
    );
    await expect(drawPlans([])).rejects.toMatchObject({ code: 'ERR_OVEN_GRAPH' });
  });
});

describe('any picture', () => {
  it('of random pipelines has no overlaps', async () => {
    const property = fc.asyncProperty(fc.array(pipelineShape, { minLength: 1, maxLength: 4 }), async (shapes) => {
      const own = await createFlour();
      try {
        await drawn(shapes.map((shape) => buildPipeline(own, shape)));
      } finally {
        own.dispose();
      }
    });
    await fc.assert(property, { numRuns: RUNS, seed });
  });

  const name = fc
    .oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.string({
        unit: fc.constantFrom(
          '\u202e',
          '\0',
          '\ud83d',
          '&',
          '<',
          ']]>',
          '--',
          '\u05d0',
          '\u0301',
          '漢',
          '\\',
          '"',
          "'",
          '\n',
          ' ',
        ),
        maxLength: 60,
      }),
      fc.constantFrom('</svg><script>alert(1)</script>', '<!--', 's1.2', '"s1.1"', '%n', '\ufffe', 'x'.repeat(3000)),
    )
    .filter((one) => one !== '' && one !== '__proto__');
  it('of hostile names is well-formed, as are text, JSON and DOT', async () => {
    const property = fc.asyncProperty(name, name, name, async (program, input, output) => {
      const hostile = scoreOf(program, input, output);
      await drawn([hostile, scoreOf('other', `${input}!`, output)]);
      const text = explain(hostile, { verbose: true });
      expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      const json = JSON.parse(explain(hostile, { format: 'json' }));
      expect([json.name, json.inputs[0].name, json.outputs[0].name]).toEqual([program, input, output]);
      expect(json.stages[0].inputs).toEqual([json.inputs[0].value]);
      // Outside of strings, the DOT file contains no part of a name.
      const dot = explain(hostile, { format: 'dot' }).replaceAll(/"(?:[^"\\]|\\.)*"/g, 'S');
      expect(dot).toMatch(/^digraph S \{\n[\w\s=,;[\]>-]*\}$/);
    });
    await fc.assert(property, { numRuns: 2 * RUNS, seed });
  });
});
