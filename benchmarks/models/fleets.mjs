import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createFlour, importOnnx, openStore, packFleet } from 'brezel';
import { buildVersion } from '../harness/machine.mjs';
import { acFleet } from './attendee-fleet.mjs';
import { expertAc, naturalAc } from './attendee-onnx.mjs';
import { partsMaker } from './attendee-parts.mjs';
import { cached, folderOf, sources } from './files.mjs';
import { saFleet } from './sentiment-fleet.mjs';
import { scaled } from './sizes.mjs';

// The paper's two fleets as files. They are generated on first use and cached in the temporary
// folder.

/** @typedef {'sa' | 'ac'} Kind sentiment, attendee count */
/** @typedef {'natural' | 'expert'} Form */
/**
 * @typedef {object} Fleet
 * @property {Kind} kind
 * @property {readonly { name: string }[]} members
 * @property {(member: number, form: Form) => Uint8Array} model generates an ONNX model
 * @property {(member: number, form: Form) => string} file path of an ONNX file
 * @property {(count?: number, onMember?: (count: number) => void) => Promise<string>} packed path
 * of a fleet file with the first members
 */

/**
 * Source files that determine the bytes of the models. A changed source gets a new cache folder.
 */
const own = ['sentiment-fleet', 'attendee-fleet', 'attendee-parts', 'attendee-onnx', 'trees', 'sizes'];
const folder = folderOf([...sources, ...own.map((name) => new URL(`${name}.mjs`, import.meta.url))]);

/**
 * Opens a fleet of the paper's workload. A file is generated when it is requested.
 *
 * @param {Kind} kind
 * @param {{ share?: number, pipelines?: number, entries?: number, seed?: number, shared?: boolean
 * }} [options]
 *   the default of `share` is `--scale`; `pipelines` and `entries` (of SA) override it
 * @returns {Fleet}
 */
export function openWorkload(kind, options = {}) {
  const { share, pipelines, entries } = { ...scaled(options.share), ...withoutUndefined(options) };
  const { seed = 1, shared = true } = options;
  const { members, model } =
    kind === 'sa' ? saFleet({ pipelines, entries, seed, shared }) : acModels({ pipelines, share, seed, shared });
  const size = kind === 'sa' ? entries : share;
  const prefix = `${kind}-${pipelines}-${size}-${seed}${shared ? '' : '-unshared'}`;
  const modelOf = (/** @type {number} */ member, /** @type {Form} */ form) =>
    model(/** @type {any} */ (members[member]), form);
  const nameOf = (/** @type {number} */ member, /** @type {Form} */ form) => `${prefix}-${member}-${form}.onnx`;
  return {
    kind,
    members,
    model: modelOf,
    file: (member, form) => cached(nameOf(member, form), () => modelOf(member, form), folder),
    packed: (count = members.length, onMember = () => {}) =>
      pack(`${prefix}-${count}`, members.slice(0, count), (member) => {
        onMember(member);
        const path = join(folder, nameOf(member, 'natural'));
        return existsSync(path) ? readFileSync(path) : modelOf(member, 'natural');
      }),
  };
}

/** @param {Record<string, unknown>} options */
const withoutUndefined = (options) =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

/** @param {{ pipelines: number, share: number, seed: number, shared: boolean }} options */
function acModels(options) {
  const fleet = acFleet(options);
  const partsOf = partsMaker(fleet);
  return {
    members: fleet.members,
    model: (/** @type {import('./attendee-fleet.mjs').AcMember} */ member, /** @type {Form} */ form) =>
      (form === 'natural' ? naturalAc : expertAc)(partsOf(member)),
  };
}

/**
 * Packs a fleet file. Models without an ONNX file are generated in memory, because 250 files would
 * fill the disk.
 *
 * @param {string} name without build @param {readonly { name: string }[]} members
 * @param {(member: number) => Uint8Array} modelOf
 */
async function pack(name, members, modelOf) {
  const path = join(folder, `${name}-${buildVersion().slice(0, 8)}.brezel`);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const store = await openStore();
  const packed = [];
  for (const [index, member] of members.entries()) {
    const flour = await createFlour({ store });
    packed.push({ plan: importOnnx(modelOf(index), flour).program.plan(), name: member.name, rows: [] });
    flour.dispose();
  }
  await packFleet(packed, path, { store });
  for (const { plan } of packed) plan.release();
  removeOld(name);
  return path;
}

/**
 * The fleet files of this many builds stay cached, so that comparing two builds does not pack files
 * again.
 */
const BUILDS = 3;

/** Deletes the fleet files of older builds. @param {string} name without build */
function removeOld(name) {
  const isBuild = (/** @type {string} */ file) => /^[0-9a-f]{8}\.brezel$/.test(file.slice(name.length + 1));
  const paths = readdirSync(folder)
    .filter((file) => file.startsWith(`${name}-`) && isBuild(file))
    .map((file) => join(folder, file));
  const byAge = paths.toSorted((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs);
  for (const path of byAge.slice(BUILDS)) rmSync(path, { force: true });
}
