import { selectionError } from '../errors.js';

/**
 * Checks that an option of a policy is in its range and returns it.
 * @throws ERR_SELECTION_OPTION
 */
export function within(at: string, option: string, value: number, least: number, most: number): number {
  if (typeof value === 'number' && value >= least && value <= most) return value;
  const expected = `${option} from ${least} to ${most}`;
  throw selectionError('ERR_SELECTION_OPTION', { expected, received: `${value}`, at });
}
