import { checkOptionNames, optionNames } from 'brezel';
import { selectionError } from '../errors.js';

/**
 * Returns an option of a policy. Throws if it is outside its range.
 * @throws ERR_SELECTION_OPTION
 */
export function within(at: string, option: string, value: number, least: number, most: number): number {
  if (typeof value === 'number' && value >= least && value <= most) return value;
  const expected = `${option} from ${least} to ${most}`;
  throw selectionError('ERR_SELECTION_OPTION', { expected, received: `${value}`, at });
}

/**
 * Throws for an unknown name among the options of a policy.
 * @throws ERR_SELECTION_OPTION with the nearest name.
 */
export const checkNames = <Options extends object>(
  at: string,
  options: Options,
  names: { readonly [Name in keyof Required<Options>]: true },
): void =>
  checkOptionNames(
    options,
    optionNames<Options>(names),
    (details) => selectionError('ERR_SELECTION_OPTION', details),
    at,
  );
