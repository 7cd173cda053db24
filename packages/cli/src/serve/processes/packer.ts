import { fork } from 'node:child_process';
import { once } from 'node:events';
import { BrezelError } from '@brezel/core';
import { createFlour, type Fleet, type FleetMember, openFleet, packFleet } from 'brezel';
import { attempt, loadModel, type ModelChoices } from '../../models.js';
import { isFleet, type Source } from '../../sources.js';
import { Peer, receivedError, type SentError, sentError } from './peer.js';
import { roleEnvironment } from './role.js';

/** One model to pack: a model file, or a plan of a fleet file. */
export interface PackedMember extends Source {
  /** The name of the plan in the new fleet file. */
  readonly name: string;
}

interface PackJob {
  readonly members: readonly PackedMember[];
  readonly output: string;
}

interface PackerMethods {
  pack(job: PackJob): Promise<readonly (SentError | undefined)[]>;
  planNames(path: string): Promise<readonly string[]>;
}

/**
 * Imports models and packs them into one fleet file, in a separate process. An import takes much
 * memory and blocks the thread that runs it.
 *
 * @param signal ends the separate process when it aborts.
 * @returns one item for each model: its error, or undefined if the model was packed. The file
 * exists if at least one model was packed.
 */
export async function packModels(job: PackJob, signal: AbortSignal): Promise<readonly (Error | undefined)[]> {
  const errors = await inPacker(signal, (packer) => packer.call('pack', job));
  return errors.map((error) => error && receivedError(error));
}

/** Checks a fleet file in a separate process, and returns the names of its plans. */
export const planNamesOf = (path: string, signal: AbortSignal): Promise<readonly string[]> =>
  inPacker(signal, (packer) => packer.call('planNames', path));

async function inPacker<Result>(
  signal: AbortSignal,
  work: (packer: Peer<PackerMethods>) => Promise<Result>,
): Promise<Result> {
  const child = fork(process.argv[1]!, process.argv.slice(2), {
    env: roleEnvironment('packer'),
    serialization: 'advanced',
    signal,
    killSignal: 'SIGKILL', // a stopped process ignores SIGTERM
  });
  const packer = new Peer<PackerMethods>(child, {});
  child
    .on('error', (error) => packer.end(error))
    .on('exit', (code, signal) => packer.end(packerEnded(signal ?? `exit code ${code}`)));
  try {
    return await work(packer);
  } finally {
    if (child.connected) child.disconnect();
  }
}

function packerEnded(received: string): Error {
  const message = 'the process that packs the models ended before it replied';
  const hint = 'check the memory of the machine; start the server without --processes to see the reason';
  return new BrezelError('ERR_CLI_WORKER', { message, hint }, { received });
}

/** Runs the jobs of the primary, until the primary disconnects. */
export async function runPacker(choices: ModelChoices): Promise<void> {
  const disconnected = once(process, 'disconnect');
  const methods: { readonly [Name in keyof PackerMethods]: PackerMethods[Name] } = {
    pack: (job) => packHere(job, choices),
    planNames: async (path) => {
      using fleet = await openFleet(path, { mapping: 'snapshot' });
      return fleet.names;
    },
  };
  new Peer(process as never, methods);
  await disconnected;
}

/**
 * Imports models and packs them into a fleet file, in this process. Returns one item for each
 * model: its error, or undefined if the model was packed.
 */
export async function packHere(
  { members, output }: PackJob,
  choices: ModelChoices,
): Promise<readonly (SentError | undefined)[]> {
  using flour = await createFlour();
  const fleets = new Map<string, Fleet>();
  const packed: FleetMember[] = [];
  const errors: (SentError | undefined)[] = [];
  for (const { name, path, plan } of members) {
    try {
      if (await isFleet(path)) {
        const fleet = fleets.get(path) ?? (await openFleet(path, { store: flour.store, mapping: 'snapshot' }));
        fleets.set(path, fleet);
        packed.push({ plan: fleet.plan(plan ?? fleet.names[0]!), name, rows: [] });
      } else {
        const { program } = await loadModel(path, flour, choices);
        packed.push({ plan: await attempt(path, () => program.plan()), name, rows: [] });
      }
      errors.push(undefined);
    } catch (error) {
      errors.push(sentError(error));
    }
  }
  if (packed.length > 0) await packFleet(packed, output, { store: flour.store });
  for (const fleet of fleets.values()) fleet.close();
  return errors;
}
