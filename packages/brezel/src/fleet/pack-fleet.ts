import { BLACK_BOX, BrezelError, type CompiledPlan } from '@brezel/core';
import { type StoredPlan, type WrittenFleet, writeFleetFile } from '@brezel/fleet-file';
import type { ObjectStore } from '@brezel/object-store';
import type { RegisteredPlan, Row, Runtime } from '@brezel/runtime';
import { version } from '../version.js';
import { createRuntime } from '../wire.js';
import { refuseFiles } from './check-stage.js';
import { fleetError } from './errors.js';
import { recordGolden } from './golden.js';
import { sampleRows } from './sample-rows.js';

/** One plan of a fleet that is packed. */
export interface FleetMember {
  readonly plan: CompiledPlan;
  /** Its name in the file; default: the plan's. */
  readonly name?: string;
  /** Golden rows: packed with their answers, and replayed by `fleet.replay()`. Default: a few that are made up; none for an empty list. */
  readonly rows?: readonly Row[];
  /** Plain data about the model, given back by `fleet.statistics(name)`. */
  readonly statistics?: unknown;
}

export interface PackOptions {
  /** Where the plans' parameters are: `flour.store`. */
  readonly store: ObjectStore;
}

/**
 * Writes plans into one file, each parameter and each stage once: what `openFleet` maps into memory instead of parsing it.
 *
 * Plans with black boxes have no golden rows. All or nothing: a file that is there already stays until the new one is complete on the disk. Cost: the bytes of the parameters, and a few
 * predictions a plan for its golden rows.
 * @throws ERR_FLEET_NAME when two plans have one name; ERR_FLEET_STAGE for a black box that is a path; ERR_STORE_FILE when the file cannot be written; ERR_RUNTIME_INPUT when a golden row does
 * not fit its plan.
 * @example await packFleet([program.plan()], `${folder}/fleet.brezel`, { store: flour.store });
 */
export async function packFleet(
  members: Iterable<CompiledPlan | FleetMember>,
  path: string,
  { store }: PackOptions,
): Promise<WrittenFleet> {
  const list = [...members].map((member): FleetMember => ('plan' in member ? member : { plan: member }));
  const names = list.map(({ plan, name = plan.name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw fleetError('ERR_FLEET_NAME', { received: `"${twice}" twice`, at: path });
  if (names.includes('')) throw fleetError('ERR_FLEET_NAME', { received: 'a plan without a name', at: path });
  for (const { plan } of list)
    for (const { stage } of plan.stages)
      for (const step of stage.steps) refuseFiles(step, `${step.operator} in plan ${plan.name}`);
  await using runtime = createRuntime({ store, isolated: true });
  const stored = list.map(({ plan, rows, statistics }, at): StoredPlan => {
    const stored = { plan: { ...plan, name: names[at]! }, statistics };
    if (hasBlackBox(plan)) return stored; // what a backend answers is not ours to promise
    const registered = runtime.register(plan, { name: names[at]! });
    const golden = recordGolden(
      runtime,
      registered,
      rows ?? acceptedRows(runtime, registered, sampleRows(plan, store)),
    );
    runtime.unregister(registered);
    return { ...stored, golden };
  });
  return writeFleetFile(path, stored, store, `brezel ${version()}`);
}

const hasBlackBox = ({ stages }: CompiledPlan): boolean =>
  stages.some(({ stage }) => stage.steps.some(({ operator }) => operator === BLACK_BOX));

/** Of rows that were made up, those that the plan takes: some plans refuse unknown categories, and functions of users what they were not made for. */
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
