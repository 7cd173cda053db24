import type { BatchRule } from '../rule.js';
import { alongAxesRules } from './along-axes.js';
import { elementwise, elementwiseRules } from './elementwise.js';
import { gatherRules, mlRules } from './gather.js';
import { imageRules } from './images.js';
import { distanceRules, productRules } from './products.js';

const rules: Readonly<Record<string, Readonly<Record<string, BatchRule>>>> = {
  '': { ...elementwiseRules, ...alongAxesRules, ...productRules, ...gatherRules, ...imageRules },
  'ai.onnx.ml': { ...mlRules, Binarizer: elementwise, LabelEncoder: elementwise },
  'com.microsoft': {
    ...distanceRules,
    Gelu: elementwise,
    BiasGelu: elementwise,
    FastGelu: elementwise,
    QuickGelu: elementwise,
    QLinearAdd: elementwise,
    QLinearMul: elementwise,
  },
};

/**
 * Returns the batch rule of an operator, or undefined if it has none. A batch rule decides whether
 * a node computes each row separately.
 */
export function batchRule(domain: string, operator: string): BatchRule | undefined {
  const known = rules[domain] ?? {};
  // Reads only properties of the object itself, because an operator may be called toString.
  return Object.hasOwn(known, operator) ? known[operator] : undefined;
}

/**
 * Returns the batch rule of an operator if the operator computes each element separately, otherwise
 * undefined.
 */
export function elementwiseRule(domain: string, operator: string): BatchRule | undefined {
  const rule = batchRule(domain, operator);
  return rule === elementwise ? rule : undefined;
}

/** Returns the operators of a domain that have a batch rule, for the documentation. */
export const rowOperators = (domain: string): readonly string[] => Object.keys(rules[domain] ?? {});
