// One process of `brezel bench`. It loads the models, measures them while they alternate with the
// reference workload and onnxruntime-node, and sends the times.
import type { Answer, Runtime } from '@brezel/runtime';
import { createFlour, createRuntime } from 'brezel';
import { readBytes } from '../files.js';
import { parseSource } from '../sources.js';
import { answerParent } from './answer-parent.js';
import { type Loaded, loadModel } from './load-model.js';
import { type Contestant, type Times, takeTurns } from './measure.js';
import { isMissingLocale, PLAIN_LOCALE, withPlainLocale } from './plain-locale.js';
import { referenceWork } from './reference-work.js';
import { residentBytes } from './resident.js';
import { findRival, openRival, type RivalLibrary, type RivalModel } from './rival.js';
import type { RivalTrial, TrialReport, TrialRequest } from './trial-report.js';

const MAX_REASON = 500;

interface LoadedRival {
  readonly facts: RivalTrial;
  readonly model?: RivalModel;
}

async function measure(request: TrialRequest): Promise<TrialReport> {
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store, isolated: true });
  const models: Loaded[] = [];
  for (const model of request.models) models.push(await loadModel(model, request, flour, runtime));
  const library = request.hasRival ? await findRival() : undefined;
  const rivals: (LoadedRival | undefined)[] = [];
  for (const model of models) rivals.push(library && (await loadRival(library, model, runtime)));
  const work = referenceWork();
  const contestants: Contestant[] = [{ name: 'reference', run: work.run }];
  for (const [at, model] of models.entries())
    contestants.push(...oursOf(at, model, runtime), ...theirsOf(at, rivals[at]));
  const times = await takeTurns(contestants, request);
  return {
    reference: times.get('reference')!,
    rivalVersion: library?.version,
    models: models.map(({ facts }, at) => ({
      ...facts,
      single: times.get(`${at} single`)!,
      batch: times.get(`${at} batch`)!,
      rival: rivals[at] && rivalOf(rivals[at], times, at),
    })),
  };
}

const oursOf = (at: number, { plan, rows, batch }: Loaded, runtime: Runtime): Contestant[] => [
  { name: `${at} single`, run: (call) => runtime.predictSync(plan, rows[call % rows.length]!) },
  { name: `${at} batch`, run: () => runtime.predictBatch(plan, batch, { engine: 'batch' }) },
];

const theirsOf = (at: number, rival: LoadedRival | undefined): Contestant[] =>
  rival?.model === undefined
    ? []
    : [
        { name: `${at} rival single`, run: rival.model.single },
        { name: `${at} rival batch`, run: rival.model.batch },
      ];

const rivalOf = ({ facts }: LoadedRival, times: ReadonlyMap<string, Times>, at: number): RivalTrial =>
  facts.missing === undefined
    ? { ...facts, single: times.get(`${at} rival single`)!, batch: times.get(`${at} rival batch`)! }
    : facts;

/**
 * Loads the model in onnxruntime-node. If loading fails, the table shows the error instead of
 * times.
 */
async function loadRival(
  library: RivalLibrary,
  { facts, plan, rows, batch }: Loaded,
  runtime: Runtime,
): Promise<LoadedRival> {
  if (parseSource(facts.model).plan !== undefined)
    return { facts: { missing: 'onnxruntime-node cannot open fleet files' } };
  try {
    const before = await residentBytes();
    const fields = rows as readonly Readonly<Record<string, unknown>>[];
    const open = async (source: string | Uint8Array) => {
      const start = performance.now();
      const model = await openRival(library, source, plan.inputs, fields, batch as typeof fields);
      return { model, loadMicros: (performance.now() - start) * 1000 };
    };
    let locale: string | undefined;
    const { model, loadMicros } = await open(facts.model).catch(async (fault) => {
      if (!isMissingLocale(fault)) throw fault;
      locale = PLAIN_LOCALE;
      return open(await withPlainLocale(await readBytes(facts.model), facts.model));
    });
    await model.batch();
    const after = await residentBytes();
    return {
      model,
      facts: {
        locale,
        loadMicros,
        residentBytes: before === undefined || after === undefined ? undefined : after - before,
        ...(await compareAnswers(
          model,
          rows.map((row) => runtime.predictSync(plan, row)),
        )),
      },
    };
  } catch (fault) {
    return { facts: { missing: (fault as Error).message.slice(0, MAX_REASON) } };
  }
}

/**
 * Compares the numbers in the answers of Brezel and of onnxruntime, row by row. Skips NaN, and
 * outputs that only one of them has or whose lengths differ. Returns how many numbers were
 * compared, and their largest difference.
 */
async function compareAnswers(rival: RivalModel, answers: readonly Answer[]) {
  let [compared, largestDifference] = [0, 0];
  for (const [row, answer] of answers.entries()) {
    const theirs = await rival.single(row);
    for (const [name, value] of Object.entries(answer)) {
      const ours = [value].flat(Number.POSITIVE_INFINITY as 1).map(Number);
      const data = theirs[name]?.data;
      if (data === undefined || data.length !== ours.length) continue;
      for (const [at, number] of ours.entries()) {
        const other = Number(data[at]);
        if (Number.isNaN(number) || Number.isNaN(other)) continue;
        compared++;
        largestDifference = Math.max(largestDifference, Math.abs(number - other) / Math.max(1, Math.abs(other)));
      }
    }
  }
  return { compared, largestDifference };
}

answerParent(measure);
