import type { KeyObject } from 'node:crypto';
import { BLACK_BOX, BrezelError, type CompiledPlan, optionNames } from '@brezel/core';
import { checkSigningKey, type StoredPlan, type WrittenFleet, writeFleetFile } from '@brezel/fleet-file';
import type { ObjectStore } from '@brezel/object-store';
import type { RegisteredPlan, Row, Runtime } from '@brezel/runtime';
import { version } from '../version.js';
import { createRuntime } from '../wire.js';
import { rejectPaths } from './check-stage.js';
import { fleetError } from './errors.js';
import { recordGolden } from './golden.js';
import { checkFleetOptions } from './open-options.js';
import { sampleRows } from './sample-rows.js';

/** A plan to pack into a fleet file. */
export interface FleetMember {
  readonly plan: CompiledPlan;
  /** Name of the plan in the file. Default: the plan's name. */
  readonly name?: string;
  /**
   * Golden rows of the plan. They are packed with their answers, and `fleet.replay()` runs them.
   * Default: a few generated rows. An empty list packs no rows.
   */
  readonly rows?: readonly Row[];
  /** Plain data about the model. `fleet.statistics(name)` returns it. */
  readonly statistics?: unknown;
}

/** Options of `packFleet`. */
export interface PackOptions {
  /** The store with the plans' parameters: `flour.store`. */
  readonly store: ObjectStore;
  /**
   * Ed25519 private key with which to sign the file. `openFleet` with `trustedKeys` accepts only
   * signed files. Default: the file is not signed.
   */
  readonly sign?: KeyObject | undefined;
}

const packOptionNames = optionNames<PackOptions>({ store: true, sign: true });
const memberNames = optionNames<FleetMember>({ plan: true, name: true, rows: true, statistics: true });

/**
 * Writes plans into one file. Each parameter and each stage is written once. `openFleet` maps the
 * file into memory instead of parsing it.
 *
 * The write is atomic: an existing file stays until the new one is complete on disk. Plans with
 * black boxes get no golden rows.
 *
 * Cost: writes the bytes of the parameters, and runs a few predictions for each plan's golden rows.
 *
 * @throws ERR_FLEET_NAME when two plans have the same name; ERR_FLEET_STAGE for a black box that is
 * a path; ERR_STORE_FILE when the file cannot be written; ERR_RUNTIME_INPUT when a golden row does
 * not match its plan; ERR_FLEET_KEY when `sign` is not an Ed25519 private key.
 * @example await packFleet([program.plan()], `${folder}/fleet.brezel`, { store: flour.store });
 */
export async function packFleet(
  members: Iterable<CompiledPlan | FleetMember>,
  path: string,
  options: PackOptions,
): Promise<WrittenFleet> {
  checkFleetOptions(options, packOptionNames, 'packFleet');
  const { store, sign } = options;
  if (sign !== undefined) checkSigningKey(sign);
  const list = [...members].map((member): FleetMember => ('plan' in member ? member : { plan: member }));
  for (const member of list) checkFleetOptions(member, memberNames, 'a member of packFleet');
  const names = list.map(({ plan, name = plan.name }) => name);
  const duplicate = firstDuplicate(names);
  if (duplicate !== undefined)
    throw fleetError('ERR_FLEET_NAME', { received: `two plans named "${duplicate}"`, at: path });
  if (names.includes('')) throw fleetError('ERR_FLEET_NAME', { received: 'a plan without a name', at: path });
  for (const { plan } of list)
    for (const { stage } of plan.stages)
      for (const step of stage.steps) rejectPaths(step, `${step.operator} in plan ${plan.name}`);
  await using runtime = createRuntime({ store, isolated: true });
  let previous: RegisteredPlan | undefined;
  const stored = list.map(({ plan, rows, statistics }, index): StoredPlan => {
    const stored = { plan: { ...plan, name: names[index]! }, statistics };
    // no golden rows, because answers of a backend may differ between machines
    if (hasBlackBox(plan)) return stored;
    const registered = runtime.register(plan, { name: names[index]! });
    // After the next plan, because plans of a family share stages. Not later, because a plan that
    // runs in JavaScript takes memory.
    if (previous !== undefined) runtime.unregister(previous);
    previous = registered;
    const golden = recordGolden(
      runtime,
      registered,
      rows ?? acceptedRows(runtime, registered, sampleRows(plan, store)),
    );
    return { ...stored, golden };
  });
  return writeFleetFile(path, stored, store, `brezel ${version()}`, sign);
}

function firstDuplicate(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return names.find((name) => seen.has(name) || !seen.add(name));
}

const hasBlackBox = ({ stages }: CompiledPlan): boolean =>
  stages.some(({ stage }) => stage.steps.some(({ operator }) => operator === BLACK_BOX));

/**
 * Returns the generated rows that a plan can answer, and drops the other rows. Some plans reject
 * unknown categories, and custom operators may reject unexpected values.
 */
function acceptedRows(runtime: Runtime, plan: RegisteredPlan, rows: readonly Row[]): Row[] {
  return rows.filter((row) => {
    try {
      runtime.predictSync(plan, row);
      return true;
    } catch (error) {
      if (error instanceof BrezelError && MADE_UP.has(error.code)) return false;
      throw error;
    }
  });
}

const MADE_UP: ReadonlySet<string> = new Set(['ERR_RUNTIME_INPUT', 'ERR_RUNTIME_CUSTOM']);
