import type { CompiledPlan } from 'brezel';
import type { BrezelFleet } from './brezel-fleet.js';
import type { Fleet } from './fleet.js';
import type { LoadedFleet } from './load.js';
import { median } from './measure.js';
import {
  bold,
  cyan,
  dim,
  green,
  kilobytes,
  megabytes,
  microseconds,
  milliseconds,
  printColumns,
  red,
} from './print.js';
import type { Score } from './race.js';

type PlannedStage = CompiledPlan['stages'][number];

/** Prints the stages: first the shared stages, then the stages of each model. */
export function printSharing({ runtime, plans }: BrezelFleet): void {
  const { plans: members, stages, parameters } = runtime.stats();
  const [first] = plans;
  const isShared = ({ stage }: PlannedStage) =>
    plans.every((plan) => plan.stages.some((one) => one.stage.key === stage.key));
  const shared = first!.stages.filter(isShared);
  const own = first!.stages.filter((stage) => !isShared(stage));
  const steps = (list: readonly PlannedStage[]) =>
    list.map(({ stage }) => stage.steps.map((step) => step.operator).join(' > '));
  const common = parameters.bytes - members.reduce((sum, member) => sum + member.marginalBytes, 0);

  console.log(
    `   ${shared.length} of ${first!.stages.length} stages are the same in all ${members.length} models, and are kept once.\n`,
  );
  console.log('   text');
  for (const line of steps(shared)) console.log(`     ├─ ${cyan(line)}`);
  console.log(
    `     │    ${dim(`once for all ${members.length} models: ${kilobytes(common)} of dictionaries and their weights`)}`,
  );
  for (const line of steps(own)) console.log(`     └─ ${line}`);
  const marginal = median(members.map((member) => member.marginalBytes));
  console.log(`          ${dim(`one for each model: ${kilobytes(marginal)} of weights`)}\n`);
  const saved = ((100 * parameters.savedBytes) / parameters.unsharedBytes).toFixed(0);
  printColumns([
    ['', 'each for itself', 'shared', 'saved'],
    [
      'parameters',
      megabytes(parameters.unsharedBytes),
      megabytes(parameters.bytes),
      bold(`${megabytes(parameters.savedBytes)} (${saved} %)`),
    ],
    ['stages', `${stages.used}`, `${stages.distinct}`, `${stages.used - stages.distinct}`],
  ]);
}

/** Prints texts with the answers of the models and their times. */
export function printScores(texts: readonly string[], { opinions, micros, firstMicros }: Score): void {
  texts.forEach((text, at) => {
    const members = opinions[at]!;
    const positive = members.filter((opinion) => opinion.label === 1).length;
    const probability = median(members.map((opinion) => opinion.probability));
    const verdict = 2 * positive >= members.length ? green('positive') : red('negative');
    const each = members.map(({ label, probability }) => (label === 1 ? green : red)(hundredths(probability)));
    console.log(`   ${bold(shorten(text))}`);
    console.log(`   ${verdict} ${probability.toFixed(2)}   ${each.join(' ')}   ${microseconds(median(micros[at]!))}\n`);
  });
  console.log(dim('   Each line shows the majority of the members, the median probability of a positive text,'));
  console.log(dim('   the probability of each member, and the time of a call'));
  console.log(
    dim(`   (median of ${micros[0]!.length} calls after a warm-up; the first call took ${microseconds(firstMicros)})`),
  );
}

/** Formats a probability with three characters: `.07`, `.93`, `1.0`. */
const hundredths = (probability: number) => (probability < 0.995 ? probability.toFixed(2).slice(1) : '1.0');

const SHOWN_CHARACTERS = 90;

/**
 * Cuts a text between grapheme clusters, so that no emoji breaks, and removes control characters.
 */
function shorten(text: string): string {
  const shown: string[] = [];
  for (const { segment } of new Intl.Segmenter().segment(text.replace(/\p{Cc}+/gu, ' '))) {
    if (shown.length === SHOWN_CHARACTERS) return `${shown.join('')}…`;
    shown.push(segment);
  }
  return shown.join('');
}

/** Prints the costs of both libraries side by side, or of Brezel alone. */
export function printCosts(
  names: readonly string[],
  loaded: readonly LoadedFleet<Fleet>[],
  scores: readonly Score[],
): void {
  const more = loaded[0]!.models - 1;
  const row = (what: string, values: readonly string[]) => [what, ...values];
  printColumns([
    row(
      '',
      names.map((name) => bold(name)),
    ),
    row(
      'load the first model',
      loaded.map(({ first }) => milliseconds(first.ms)),
    ),
    row(
      `load ${more} more`,
      loaded.map(({ others }) => milliseconds(others.ms)),
    ),
    row(
      'memory for the first model',
      loaded.map(({ first }) => megabytes(first.bytes)),
    ),
    row(
      `memory for ${more} more`,
      loaded.map(({ others }) => megabytes(others.bytes)),
    ),
    row(
      'first prediction',
      scores.map(({ firstMicros }) => microseconds(firstMicros)),
    ),
    row(
      'a later prediction',
      scores.map(({ micros }) => microseconds(median(micros.flat()))),
    ),
  ]);
  console.log(dim('\n   Memory is the growth of the resident set after garbage collection, without the library.'));
  console.log(dim('   A prediction goes from text to label and probabilities. Both engines alternate on one thread.'));
  const [ours, theirs] = loaded;
  const isSlower = (part: 'first' | 'others') => theirs !== undefined && ours![part].ms > theirs[part].ms;
  if (!isSlower('first') && !isSlower('others')) return;
  console.log(dim('   Brezel loads ONNX files more slowly in a fresh process: V8 has not optimized its importer and'));
  console.log(dim('   compiler yet. A service opens a packed fleet (brezel pack) and needs neither.'));
}

/** Prints the largest difference between the answers of two libraries. */
export function printAgreement(ours: Score, theirs: Score): void {
  const pairs = ours.opinions.flatMap((members, text) =>
    members.map((opinion, member) => [opinion, theirs.opinions[text]![member]!] as const),
  );
  const equal = pairs.filter(([a, b]) => a.label === b.label).length;
  const apart = Math.max(...pairs.map(([a, b]) => Math.abs(a.probability - b.probability)));
  console.log(
    `\n   Answers: ${equal} of ${pairs.length} labels equal, probabilities at most ${apart.toExponential(1)} apart.`,
  );
}
