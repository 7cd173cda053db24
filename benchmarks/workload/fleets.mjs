import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createFlour, importOnnx, openStore, packFleet } from 'brezel';
import { folderOf, kept, libraryVersion, sources } from '../lib/model-files.mjs';
import { acFleet } from './ac.mjs';
import { expertAc, naturalAc } from './ac-onnx.mjs';
import { partsMaker } from './ac-parts.mjs';
import { saFleet } from './sa.mjs';
import { scaled } from './scale.mjs';

// Both fleets as files: written when somebody asks for them, and kept in the machine's temporary folder.

/** @typedef {'sa' | 'ac'} Kind */
/** @typedef {'natural' | 'expert'} Form */
/**
 * @typedef {object} Fleet
 * @property {Kind} kind
 * @property {readonly { name: string }[]} members
 * @property {(member: number, form: Form) => Uint8Array} model ONNX
 * @property {(member: number, form: Form) => string} file path of the ONNX file
 * @property {(count?: number, onMember?: (count: number) => void) => Promise<string>} packed path of a fleet file of the first members
 */

/** What the bytes of models come from; files of another version of these lie in another folder. */
const own = ['sa', 'ac', 'ac-parts', 'ac-onnx', 'trees', 'versions', 'scale'];
const folder = folderOf([...sources, ...own.map((name) => new URL(`${name}.mjs`, import.meta.url))]);

/**
 * @param {Kind} kind
 * @param {{ share?: number, pipelines?: number, entries?: number, seed?: number, shared?: boolean }} [options] share: as `--scale`, which is the
 *   default; pipelines and entries (of SA) are told apart from it
 * @returns {Fleet}
 */
export function openWorkload(kind, options = {}) {
  const { share, pipelines, entries } = { ...scaled(options.share), ...dropUndefined(options) };
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
    file: (member, form) => kept(nameOf(member, form), () => modelOf(member, form), folder),
    packed: (count = members.length, onMember = () => {}) =>
      pack(`${prefix}-${count}`, members.slice(0, count), (member) => {
        onMember(member);
        const path = join(folder, nameOf(member, 'natural'));
        return existsSync(path) ? readFileSync(path) : modelOf(member, 'natural');
      }),
  };
}

/** @param {Record<string, unknown>} options */
const dropUndefined = (options) =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

/** @param {{ pipelines: number, share: number, seed: number, shared: boolean }} options */
function acModels(options) {
  const fleet = acFleet(options);
  const partsOf = partsMaker(fleet);
  return {
    members: fleet.members,
    model: (/** @type {import('./ac.mjs').AcMember} */ member, /** @type {Form} */ form) =>
      (form === 'natural' ? naturalAc : expertAc)(partsOf(member)),
  };
}

/** Members without a file are written as ONNX in memory only: 250 of them would take more disk than most have to spare. @param {string} name without build @param {readonly { name: string }[]} members @param {(member: number) => Uint8Array} modelOf */
async function pack(name, members, modelOf) {
  const path = join(folder, `${name}-${libraryVersion()}.brezel`);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const store = await openStore();
  const packed = [];
  for (const [at, member] of members.entries()) {
    const flour = await createFlour({ store });
    packed.push({ plan: importOnnx(modelOf(at), flour).program.plan(), name: member.name, rows: [] });
    flour.dispose();
  }
  await packFleet(packed, path, { store });
  for (const { plan } of packed) plan.release();
  removeOld(name);
  return path;
}

/** Fleet files of so many builds stay: comparing two of them packs nothing anew. */
const BUILDS = 3;

/** @param {string} name of a fleet file, without build */
function removeOld(name) {
  const paths = readdirSync(folder)
    .filter(
      (file) => file.startsWith(`${name}-`) && file.endsWith('.brezel') && !file.slice(name.length + 1).includes('-'),
    )
    .map((file) => join(folder, file));
  const byAge = paths.toSorted((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs);
  for (const path of byAge.slice(BUILDS)) rmSync(path, { force: true });
}
