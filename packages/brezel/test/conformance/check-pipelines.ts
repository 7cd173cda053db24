import { bake, createFlour } from 'brezel';
import fc from 'fast-check';
import { Engines, expectSame, isSamePlan, rawAnswers } from './engines.js';
import { anyText, buildPipeline, pipelineShape } from './random-programs.js';

/**
 * Checks random pipelines with random texts. Every engine must give the bits of the reference
 * implementations on the same plan. The exact plan must give the bits of the unoptimized program.
 *
 * @returns how many (pipeline, text) pairs and how many pipelines were checked, and how many of
 * these pipelines ran completely in the addon.
 */
export async function checkPipelines(
  numRuns: number,
  textsEach: number,
  seed: number,
): Promise<{ texts: number; pipelines: number; native: number }> {
  const flour = await createFlour();
  const engines = new Engines(flour.store);
  const tried = { texts: 0, pipelines: 0, native: 0 };
  const property = fc.asyncProperty(
    pipelineShape,
    fc.array(anyText, { minLength: textsEach, maxLength: textsEach, size: 'max' }),
    async (shape, texts) => {
      const rows = texts.map((text) => ({ text }));
      const program = buildPipeline(flour, shape);
      const [exact, fast] = [bake(program, { exact: true }), bake(program)];
      try {
        const exactly = await engines.answers(exact, rows);
        expectSame(exactly.answers, rawAnswers(program, rows));
        const { engine, answers } = isSamePlan(fast, exact) ? exactly : await engines.answers(fast, rows);
        expectSame(answers, answers.get('reference')!);
        tried.texts += texts.length;
        tried.pipelines++;
        if (engine === 'native') tried.native++;
      } finally {
        exact.release();
        fast.release();
        flour.dispose();
      }
    },
  );
  await fc.assert(property, { numRuns, seed });
  return tried;
}
