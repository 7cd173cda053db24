import type { Labels } from '@brezel/flour';
import { damaged } from '../errors.js';
import type { NodeWriter } from '../node.js';

/** Returns the index of the greatest number; the first if several are equal. */
const argmax: NodeWriter = (node) => node.numbers().argMax();

/** Returns 1 for a number above 0, otherwise 0. */
const indexAbove: NodeWriter = (node) => node.numbers().compare('greater', 0).cast('int64').asScalar();

/** Returns the label of a class. */
const label: NodeWriter = (node) => {
  const labels = Array.from(node.fields.list('labels'));
  const isList = labels.every((one) => typeof one === 'string') || labels.every((one) => Number.isSafeInteger(one));
  if (!isList || labels.length === 0)
    throw damaged(`${node.fields.at}.labels`, 'texts or integers', labels.length === 0 ? 'none' : 'other values');
  return node.index().labels(labels as Labels);
};

export const classNodes = { argmax, index_above: indexAbove, label };
