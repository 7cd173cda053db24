import type { Fleet, Opinion } from './fleet.js';

/** The answers of one library to each text from each model, with the time of each call. */
export interface Score {
  /** For each text, the answers of the models in their order. */
  readonly opinions: readonly (readonly Opinion[])[];
  /** For each text, the times of all calls with all models, in microseconds. */
  readonly micros: readonly (readonly number[])[];
  /** The time of the library's first call, which nothing has warmed up. */
  readonly firstMicros: number;
}

const WARM_UP = { rounds: 20, ms: 2000 };
/**
 * The measurement makes about `calls` calls, in at most `rounds` rounds. With very long texts it
 * makes fewer calls, because it starts no round after `ms` milliseconds.
 */
const MEASURED = { calls: 3000, rounds: 300, ms: 5000 };

/**
 * Measures the time of every text with every model, in several rounds. The libraries alternate, so
 * that other work on the machine slows all of them. The first call of each library is reported
 * separately. The rounds of the warm-up are not reported.
 */
export async function race(fleets: readonly Fleet[], texts: readonly string[], members: number): Promise<Score[]> {
  const firstMicros: number[] = [];
  for (const fleet of fleets) firstMicros.push((await timed(fleet, 0, texts[0]!)).micros);
  await rounds(fleets, texts, members, WARM_UP.rounds, WARM_UP.ms);
  const measured = Math.min(MEASURED.rounds, Math.ceil(MEASURED.calls / (texts.length * members)));
  const scores = await rounds(fleets, texts, members, measured, MEASURED.ms);
  return scores.map((score, library) => ({ ...score, firstMicros: firstMicros[library]! }));
}

/** Runs up to `limit` rounds, and starts no round after `limitMs`. */
async function rounds(
  fleets: readonly Fleet[],
  texts: readonly string[],
  members: number,
  limit: number,
  limitMs: number,
): Promise<Omit<Score, 'firstMicros'>[]> {
  const scores = fleets.map(() => ({
    opinions: texts.map(() => new Array<Opinion>(members)),
    micros: texts.map((): number[] => []),
  }));
  const deadline = performance.now() + limitMs;
  for (let round = 0; round < limit && (round === 0 || performance.now() < deadline); round++) {
    for (const [library, fleet] of fleets.entries()) {
      for (const [at, text] of texts.entries()) {
        for (let member = 0; member < members; member++) {
          const { opinion, micros } = await timed(fleet, member, text);
          scores[library]!.opinions[at]![member] = opinion;
          scores[library]!.micros[at]!.push(micros);
        }
      }
    }
  }
  return scores;
}

/** Makes one call. Waits only for an asynchronous library. */
async function timed(fleet: Fleet, member: number, text: string): Promise<{ opinion: Opinion; micros: number }> {
  const started = performance.now();
  const asked = fleet.ask(member, text);
  const opinion = asked instanceof Promise ? await asked : asked;
  return { opinion, micros: (performance.now() - started) * 1000 };
}
