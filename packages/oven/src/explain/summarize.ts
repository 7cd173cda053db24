import type { Attributes } from '@brezel/core';
import type { OperatorDefinition, ParameterShape } from '@brezel/flour';
import { printable } from './words.js';

const SHOWN_SUMMARY = 60;
const SHOWN_LIST = 4;

/**
 * Returns a few words that distinguish a use of an operator from other uses: the operator's
 * summary, otherwise its attributes.
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
 * Formats attributes in a short form. Omits attributes that are false or null, and shows only the
 * number of elements of a long list. Omits the name of an attribute if the operator has the same
 * name, or if the attribute is the only one and its value is a text.
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
