import { readFile } from 'node:fs/promises';
import {
  checkLimits,
  type ModelLimits,
  modelLimitNames,
  type NonFiniteChoice,
  nonFiniteChoices,
  optionNames,
  type Precision,
  precisions,
} from '@brezel/core';
import { registryError } from './errors.js';
import { changed, identify, whileUnchanged } from './file-identity.js';
import { firstBytes } from './first-bytes.js';
import type { FileImport, ModelFormats } from './model-formats.js';
import type { OpenFleets } from './open-fleets.js';
import { checkRegistryOptions } from './options.js';
import type { LoadOptions, LoadResult, PlanSource } from './source.js';

/**
 * A plan in a file: a model file (ONNX, LightGBM, XGBoost, ML.NET, scikit-learn) or a fleet file.
 * You may omit `plan` if a fleet file has only one.
 */
export interface PlanFile {
  readonly path: string;
  readonly plan?: string;
  /**
   * Whether to load this model if its learned numbers contain NaN, or an infinity that has no
   * meaning for the operator. Default: the registry's option.
   */
  readonly nonFinite?: NonFiniteChoice;
  /**
   * Limits of the import, if this is a model file. The registry's option `limits` supplies missing
   * limits.
   */
  readonly limits?: Partial<ModelLimits>;
  /**
   * Whether to split n-grams that skl2onnx wrote as one string, if this is an ONNX file. Default:
   * the registry's option.
   */
  readonly repairNgrams?: boolean;
  /**
   * The type in which the program computes, if this is a scikit-learn file. Default: the registry's
   * option.
   */
  readonly precision?: Precision;
}

const planFileNames = optionNames<PlanFile>({
  path: true,
  plan: true,
  nonFinite: true,
  limits: modelLimitNames,
  repairNgrams: true,
  precision: true,
});

export interface FileSourceParts {
  readonly formats: ModelFormats;
  readonly fleets: OpenFleets;
  /** The options of the registry for model files. */
  readonly imports: FileImport;
}

/**
 * Returns a source that loads a plan from a file. If the file has changed since its first load,
 * later loads reject the file, because a version never changes.
 *
 * @param identity expected identity of the file. Default: the identity at the first load.
 */
export function fileSource(file: PlanFile, registry: FileSourceParts, identity?: string): PlanSource {
  checkRegistryOptions(file, planFileNames, 'the source of a version');
  const { path, plan } = file;
  const parts = { ...registry, imports: importsOf(file, registry.imports) };
  let wanted = identity;
  return {
    at: plan === undefined ? path : `${path}, plan "${plan}"`,
    async load({ signal, pauseTimeout }: Partial<LoadOptions> = {}) {
      const loaded =
        wanted !== undefined && parts.fleets.has(path, wanted)
          ? await fromFleet(path, plan, wanted, parts)
          : await fromDisk({ path, plan, wanted, signal, pauseTimeout }, parts);
      wanted = loaded.identity;
      return loaded;
    },
  };
}

/**
 * Checks the options with which a registry or a version imports model files, and adds defaults.
 *
 * @param defaults the options of the registry, if the checked options belong to a version.
 * @throws ERR_REGISTRY_OPTION
 */
export function importsOf(
  {
    nonFinite,
    limits = {},
    repairNgrams,
    precision,
  }: { readonly [Name in keyof FileImport]?: FileImport[Name] | undefined },
  defaults: FileImport = { nonFinite: 'refuse', limits: {}, repairNgrams: false, precision: 'float64' },
): FileImport {
  checkLimits(limits, modelLimitNames, (details) => registryError('ERR_REGISTRY_OPTION', details));
  if (repairNgrams !== undefined && typeof repairNgrams !== 'boolean')
    throw registryError('ERR_REGISTRY_OPTION', {
      expected: 'repairNgrams true or false',
      received: String(repairNgrams),
    });
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  return {
    nonFinite: oneOf('nonFinite', nonFiniteChoices, nonFinite ?? defaults.nonFinite),
    limits: { ...defaults.limits, ...Object.fromEntries(given) },
    repairNgrams: repairNgrams ?? defaults.repairNgrams,
    precision: oneOf('precision', precisions, precision ?? defaults.precision),
  };
}

/** @throws ERR_REGISTRY_OPTION unless the value is one of the choices. */
function oneOf<Choice extends string>(option: string, choices: readonly Choice[], value: Choice): Choice {
  if (choices.includes(value)) return value;
  throw registryError('ERR_REGISTRY_OPTION', {
    expected: `${option} ${choices.join(' or ')}`,
    received: String(value),
  });
}

type Identified = LoadResult & { readonly identity: string };

interface FileLoad {
  readonly path: string;
  readonly plan: string | undefined;
  /** The identity that the file must have. Undefined for the first load. */
  readonly wanted: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly pauseTimeout: (() => () => void) | undefined;
}

async function fromDisk(
  { path, plan, wanted, signal, pauseTimeout }: FileLoad,
  parts: FileSourceParts,
): Promise<Identified> {
  const { id } = await identify(path);
  if (wanted !== undefined && id !== wanted) throw changed(path, wanted, id);
  if (parts.formats.isFleet(await firstBytes(path))) return fromFleet(path, plan, id, parts);
  const bytes = await whileUnchanged(
    path,
    id,
    () => readFile(path, { signal }),
    () => {},
  );
  return { plan: await parts.formats.compile(bytes, { ...parts.imports, signal, pauseTimeout }), identity: id };
}

async function fromFleet(
  path: string,
  plan: string | undefined,
  identity: string,
  { fleets }: FileSourceParts,
): Promise<Identified> {
  const { fleet, close } = await fleets.use(path, identity);
  try {
    const { prefaulted } = fleet;
    const found = fleet.plan(plan ?? onlyPlan(fleet.names, path));
    return { plan: found, unloaded: close, identity, ...(prefaulted && { prefaulted }) };
  } catch (error) {
    close();
    throw error;
  }
}

function onlyPlan(names: readonly string[], path: string): string {
  if (names.length === 1) return names[0]!;
  const received = `${names.length} plans: ${names.slice(0, 3).join(', ')}${names.length > 3 ? ', ...' : ''}`;
  const hint = `name one: { path, plan: "${names[0] ?? 'name'}" }; or add them all: registry.addFleet(path)`;
  throw registryError('ERR_REGISTRY_SOURCE', { expected: 'the name of a plan', received, at: path, hint });
}
