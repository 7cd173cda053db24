import type { Element } from '../xml/element.js';

/** A field that a model uses, and how it treats unusual values. */
export interface MiningField {
  readonly name: string;
  readonly usage: 'active' | 'target' | 'other';
  readonly at: string;
  readonly missingReplacement: string | undefined;
  readonly rejectsMissing: boolean;
  readonly invalidTreatment: 'returnInvalid' | 'asIs' | 'asMissing' | 'asValue';
  readonly invalidReplacement: string | undefined;
  readonly outliers: 'asIs' | 'asMissingValues' | 'asExtremeValues';
  readonly low: number;
  readonly high: number;
}

const usages = {
  active: 'active',
  predicted: 'target',
  target: 'target',
  supplementary: 'other',
  group: 'other',
  order: 'other',
  frequencyWeight: 'other',
  analysisWeight: 'other',
} as const;

/** Reads the `MiningSchema` of a model. */
export function readMiningSchema(model: Element): readonly MiningField[] {
  return model.child('MiningSchema').all('MiningField').map(readMiningField);
}

function readMiningField(element: Element): MiningField {
  const usage = element.choice('usageType', Object.keys(usages) as (keyof typeof usages)[], 'active');
  const outliers = element.choice('outliers', ['asIs', 'asMissingValues', 'asExtremeValues'], 'asIs');
  const bound = (name: string, none: number) => (element.has(name) ? element.number(name) : none);
  return {
    name: element.required('name'),
    usage: usages[usage],
    at: element.at,
    missingReplacement: element.get('missingValueReplacement'),
    rejectsMissing: element.get('missingValueTreatment') === 'returnInvalid',
    invalidTreatment: element.choice(
      'invalidValueTreatment',
      ['returnInvalid', 'asIs', 'asMissing', 'asValue'],
      'returnInvalid',
    ),
    invalidReplacement: element.get('invalidValueReplacement'),
    outliers,
    low: bound('lowValue', Number.NEGATIVE_INFINITY),
    high: bound('highValue', Number.POSITIVE_INFINITY),
  };
}
