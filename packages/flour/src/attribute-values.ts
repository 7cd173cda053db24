import { shown } from './custom/row-values.js';
import type { AttributeKind, AttributeRule, OperatorDefinition, OperatorUse } from './define-op.js';
import { flourError } from './errors.js';

// For an attribute with an invalid value, a kernel and the reference implementation could compute
// different answers. Programs are checked while they are built, and fleet files while they are
// opened.

const checks: Readonly<Record<AttributeKind, (value: unknown) => boolean>> = {
  boolean: (value) => value === undefined || typeof value === 'boolean',
  count: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  number: (value) => typeof value === 'number',
  'number or null': (value) => value === null || typeof value === 'number',
  text: (value) => typeof value === 'string',
  'text or nothing': (value) => value === undefined || typeof value === 'string',
  'list of texts': (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
};

/**
 * Checks the attributes of an operator use with the rules in the operator's definition. A missing
 * boolean counts as false. Apart from booleans, only attributes with the rule `text or nothing` may
 * be missing. The method `infer` of the operator checks attributes with the rule `infer`.
 *
 * @throws ERR_FLOUR_PARAM for an invalid attribute.
 */
export function checkAttributes(operator: OperatorDefinition, { attributes }: Pick<OperatorUse, 'attributes'>): void {
  for (const [attribute, rule] of Object.entries(operator.attributes ?? {})) {
    const value = attributes[attribute];
    if (isAllowed(value, rule)) continue;
    const expected = typeof rule === 'string' ? `a ${rule}` : rule.join(', ');
    const at = `${operator.name}, attribute "${attribute}"`;
    throw flourError('ERR_FLOUR_PARAM', { expected, received: shown(value), at });
  }
}

function isAllowed(value: unknown, rule: AttributeRule): boolean {
  if (rule === 'infer') return true;
  return typeof rule === 'string' ? checks[rule](value) : rule.includes(value as string);
}
