import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { BrezelError, type OwnedPlan } from '@brezel/core';
import { isFleetFile } from '@brezel/fleet-file';
import type { FlourContext } from '@brezel/flour';
import type { ObjectStore } from '@brezel/object-store';
import type { RegisteredPlan, RowOptions, Runtime } from '@brezel/runtime';
import type { Fleet, OpenOptions } from 'brezel';
import { openFleet } from 'brezel';
import { cliError, inFile } from './errors.js';
import { STANDARD_STREAM } from './files.js';
import { attempt, loadModel, type ModelChoices } from './models.js';

/** A MODEL argument: a file, or one plan of a fleet file (`fleet.brezel#plan`). */
export interface Source {
  readonly path: string;
  readonly plan?: string;
}

/**
 * Parses a MODEL argument. If a file with a `#` in its name exists, the argument is that file and
 * not a plan.
 */
export function parseSource(argument: string): Source {
  const hash = argument.lastIndexOf('#');
  if (hash <= 0 || existsSync(argument)) return { path: argument };
  return { path: argument.slice(0, hash), plan: argument.slice(hash + 1) };
}

/**
 * Returns whether a file starts like a fleet file. Returns false for an unreadable file, for which
 * a later read throws the error.
 */
export async function isFleet(path: string): Promise<boolean> {
  if (path === STANDARD_STREAM) return false;
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return false;
  try {
    const status = await file.stat();
    if (!status.isFile()) return false;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(8), 0, 8, 0);
    return isFleetFile(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

/** Opens a fleet file and checks every byte. Errors contain the name of the file. */
export async function loadFleet(
  path: string,
  store: ObjectStore,
  options: Pick<OpenOptions, 'trustedKeys'> = {},
): Promise<Fleet> {
  try {
    return await openFleet(path, { store, ...options });
  } catch (fault) {
    // Errors of the store already contain the name of the file.
    throw fault instanceof BrezelError && !fault.code.startsWith('ERR_STORE') ? inFile(path, fault) : fault;
  }
}

/**
 * Returns the name of a source's plan: the name in the argument, or the only plan of the fleet
 * file.
 */
export function planName({ path, plan }: Source, fleet: Fleet): string {
  const { names } = fleet;
  const isClear = plan === undefined ? names.length === 1 : names.includes(plan);
  if (isClear) return plan ?? names[0]!;
  const some = `${names.slice(0, 3).join(', ')}${names.length > 3 ? ', ...' : ''}`;
  throw cliError('ERR_CLI_PLAN', {
    expected: plan === undefined ? 'the name of a plan' : `a plan "${plan}"`,
    received: `${names.length} plans: ${some}`,
    at: path,
    hint: `name one of them: ${path}#${names[0] ?? 'name'}; run brezel inspect to list them`,
  });
}

/**
 * Returns the plan of a MODEL argument. Compiles a model file, or reads the plan from a fleet file.
 */
export async function compiledPlan(
  argument: string,
  flour: FlourContext,
  choices: ModelChoices = { nonFinite: 'refuse' },
): Promise<OwnedPlan> {
  const source = parseSource(argument);
  if (await isFleet(source.path)) {
    using fleet = await loadFleet(source.path, flour.store);
    return fleet.plan(planName(source, fleet));
  }
  const { program } = await loadModel(argument, flour, choices);
  return attempt(argument, () => program.plan());
}

/**
 * Registers the plan of a MODEL argument. The compiled plan is released; the registered plan stays.
 */
export async function registeredPlan(
  argument: string,
  flour: FlourContext,
  runtime: Runtime,
  choices: ModelChoices,
  rows: RowOptions,
): Promise<RegisteredPlan> {
  const compiled = await compiledPlan(argument, flour, choices);
  try {
    return await attempt(argument, () => runtime.register(compiled, rows));
  } finally {
    compiled.release(); // the runtime holds separate references
  }
}
