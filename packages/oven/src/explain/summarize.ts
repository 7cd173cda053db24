import type { Attributes } from '@brezel/core';
import type { OperatorDefinition, ParameterShape } from '@brezel/flour';
import { printable } from './words.js';

const SHOWN_SUMMARY = 60;
const SHOWN_LIST = 4;

/**
 * Distinguishes a use of an operator from others in a few words: the operator's summary, otherwise
 * its attributes.
 */
export function summarize(
  operator: OperatorDefinition | undefined,
  attributes: Attributes,
  parameters: Readonly<Record<string, ParameterShape>> = {},
): string {
  return printable(
    operator?.summary?.({ attributes, parameters }) ?? plainSummary(operator?.name, attributes),
    SHOWN_SUMMARY,
  );
}

/**
 * Prints attributes without redundant parts: the name of a sole attribute that is a word or names
 * the operator, attributes that are off, and most elements of long lists.
 */
function plainSummary(operator: string | undefined, attributes: Attributes): string {
  const entries = Object.entries(attributes).filter(([, value]) => value !== null && value !== false);
  const [only] = entries;
  if (entries.length === 1 && typeof only![1] === 'string') return only![1];
  return entries
    .map(([name, value]) => {
      if (value === true) return name;
      if (typeof value !== 'object') return name === operator ? `${value}` : `${name} ${value}`;
      const list = value as readonly unknown[];
      return `${name} ${list.length > SHOWN_LIST ? `[${list.length} values]` : JSON.stringify(list)}`;
    })
    .join(', ');
}
