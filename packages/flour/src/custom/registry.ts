import { type OperatorDefinition, operators } from '../define-op.js';
import { flourError } from '../errors.js';
import type { CustomOperator } from './operator.js';

/**
 * The form of a custom operator's name: a namespace, a slash and a name. Built-in names contain no
 * slash.
 */
const CUSTOM_NAME = /^[a-z0-9][a-z0-9_.-]*(?:\/[a-z0-9][a-z0-9_.-]*)+$/i;

/**
 * The custom operators of this thread, by name and version. Two versions of one name may be in use
 * together.
 */
const registry = new Map<string, OperatorDefinition>();

const keyOf = (name: string, version: number) => `${name}@${version}`;

/** Returns whether a name belongs to a custom operator. */
export const isCustomName = (name: string): boolean => name.includes('/');

/**
 * Returns the built-in operator with this name, whatever `version` is. Otherwise returns the custom
 * operator with this name and version, or undefined if this thread has not defined it.
 */
export function findOperator(name: string, version: number): OperatorDefinition | undefined {
  return operators.get(name) ?? registry.get(keyOf(name, version));
}

/** Returns the versions of a custom operator that this thread has defined. */
export function versionsOf(name: string): number[] {
  return [...registry.values()].filter((one) => one.name === name).map((one) => one.version);
}

/** The operators of `defineOperator` on this thread, by name and then by version. */
const defined = new Map<string, Map<number, CustomOperator>>();

/** Remembers an operator of `defineOperator`, so that importers find it by name. */
export function addDefined(operator: CustomOperator): void {
  const versions = defined.get(operator.name) ?? new Map<number, CustomOperator>();
  defined.set(operator.name, versions.set(operator.version, operator));
}

/**
 * Returns the newest version of an operator of `defineOperator` that is not above
 * `greatestVersion`, or undefined. For an ONNX node, `greatestVersion` is the version of the
 * operator set of its domain.
 */
export function findDefined(name: string, greatestVersion: number): CustomOperator | undefined {
  const versions = defined.get(name) ?? new Map<number, CustomOperator>();
  const found = [...versions.keys()].filter((version) => version <= greatestVersion);
  return versions.get(Math.max(...found));
}

/**
 * Registers a custom operator.
 *
 * @throws ERR_FLOUR_NAME for a name without a namespace, for an invalid version, or for a name and
 * version in use.
 */
export function registerCustom(operator: OperatorDefinition, replace: boolean): void {
  const { name, version } = operator;
  const fail = (expected: string, received: string, hint: string) =>
    flourError('ERR_FLOUR_NAME', { expected, received, at: 'defineOperator', hint });
  if (typeof name !== 'string' || !CUSTOM_NAME.test(name))
    throw fail('a name with a namespace', JSON.stringify(name), "letters, digits, '-', '_' and '.': my-team/postcode");
  if (!Number.isInteger(version) || version < 1 || version > 2 ** 31 - 1)
    throw fail('a version from 1', String(version), 'increase the version when the answers of the operator change');
  if (registry.has(keyOf(name, version)) && !replace)
    throw fail(
      'a name and version that no other operator has',
      `${name} version ${version} twice`,
      'define the operator once, in a separate module; if its answers change, increase the version; if the module is loaded again, pass { replace: true }',
    );
  registry.set(keyOf(name, version), operator);
}
