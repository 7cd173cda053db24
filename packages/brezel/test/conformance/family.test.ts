import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bake, createFlour, importOnnx, type Program } from 'brezel';
import fc from 'fast-check';
import { describe, test } from 'vitest';
import { corpusFolders } from '../corpus/corpus.js';
import { Engines, expectSame, rawAnswers } from './engines.js';
import { anyText } from './random-programs.js';
import { seed } from './seed.js';

const TEXTS = Number(process.env.BREZEL_FAMILY_TEXTS ?? 150);
const examples = fileURLToPath(new URL('../../../../examples/models/', import.meta.url));
const files = existsSync(examples)
  ? readdirSync(examples)
      .filter((name) => name.endsWith('.onnx'))
      .map((name) => `${examples}${name}`)
  : corpusFolders('family').map((folder) => `${folder}/model.onnx`);
const chosen = [files[0], files[Math.floor(files.length / 2)], files.at(-1)].filter((file) => file !== undefined);

/** Returns the tokens in the vocabularies of a program: words and characters. */
function knownTokens(program: Program): string[] {
  return program
    .nodes()
    .flatMap((node) => Object.values(node.parameters))
    .map(({ id }) => program.context.store.get(id))
    .flatMap((parameter) => (parameter.dtype === 'string' ? [...parameter.values] : []));
}

describe.skipIf(chosen.length === 0)('trained models over random texts', () => {
  test.each(chosen)(`%s: ${TEXTS} texts`, async (file) => {
    const flour = await createFlour();
    const engines = new Engines(flour.store);
    const { program } = importOnnx(readFileSync(file), flour);
    const known = fc.constantFrom(...knownTokens(program));
    const text = fc.oneof(
      anyText,
      fc.array(known, { maxLength: 30 }).map((tokens) => tokens.join(' ')),
      fc.array(known, { maxLength: 60 }).map((tokens) => tokens.join('')),
    );
    const [texts] = fc.sample(fc.array(text, { minLength: TEXTS, maxLength: TEXTS, size: 'max' }), {
      seed,
      numRuns: 1,
    });
    const [input] = program.inputs;
    const rows = texts!.map((one) => ({ [input!.name!]: input!.type.kind === 'scalar' ? one : [one] }));
    const [exact, fast] = [bake(program, { exact: true }), bake(program)];
    expectSame((await engines.answers(exact, rows)).answers, rawAnswers(program, rows));
    const { answers } = await engines.answers(fast, rows);
    expectSame(answers, answers.get('reference')!);
    exact.release();
    fast.release();
    flour.dispose();
  });
});
