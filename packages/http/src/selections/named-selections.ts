import { type InferenceOptions, optionError } from '../options.js';
import type { NamedSelections, SelectionApp } from './selection-app.js';

const METHODS = ['predict', 'feedback', 'hasQuery', 'names', 'weights', 'stats'] as const;
const MAX_NAME = 200;

/**
 * Returns the selections of the option `selections`.
 *
 * @throws ERR_HTTP_OPTION for a value that is not a selection, for an invalid name, and for a
 * server with several processes: only the process that made a prediction accepts its feedback.
 */
export function namedSelections({ selections, processes }: InferenceOptions): NamedSelections {
  if (selections === undefined) return new Map();
  const list = Object.entries(selections);
  for (const [name, app] of list) {
    const at = `selections: ${JSON.stringify(name.slice(0, MAX_NAME))}`;
    if (name === '' || name.length > MAX_NAME || !name.isWellFormed())
      throw optionError({
        expected: `a name of 1 to ${MAX_NAME} characters`,
        received: `${name.length} characters`,
        at,
      });
    const missing = METHODS.filter((method) => typeof (app as Partial<SelectionApp> | null)?.[method] !== 'function');
    if (missing.length > 0)
      throw optionError({
        expected: 'a selection that createSelection of @brezel/selection returns',
        received: `a value without ${missing.join(', ')}`,
        at,
      });
  }
  if (list.length > 0 && processes !== undefined)
    throw optionError({
      expected: 'selections without the option processes',
      received: 'both options',
      hint: 'only the process that predicted accepts the feedback: start one server in one process',
    });
  return new Map(list);
}
