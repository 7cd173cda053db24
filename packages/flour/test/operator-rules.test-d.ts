// The compiler requires rules for the attributes and parameters of an operator. Nothing here runs:
// `types.test.ts` compiles the file.
import { defineOp, type OperatorDefinition } from '@brezel/flour';

declare const rest: Pick<OperatorDefinition, 'version' | 'annotations' | 'infer' | 'reference'>;
const doc = { does: 'Adds a limit.', types: 'float32[n] → float32[n]' } as const;

defineOp({ ...rest, name: 'types/plain', doc });
defineOp({
  ...rest,
  name: 'types/rules',
  doc: { ...doc, attributes: { limit: 'the limit' }, parameters: { 'weights#': 'float32[n]' } },
  attributes: { limit: 'number' },
  parameters: { 'weights#': ['float32'] },
});
// @ts-expect-error the attribute has no rule
defineOp({ ...rest, name: 'types/attribute', doc: { ...doc, attributes: { limit: 'the limit' } } });
// @ts-expect-error the parameter has no rule
defineOp({ ...rest, name: 'types/parameter', doc: { ...doc, parameters: { weights: 'float32[n]' } } });
defineOp({
  ...rest,
  name: 'types/second',
  doc: { ...doc, attributes: { limit: 'the limit', mode: 'sum or mean' } },
  // @ts-expect-error the second attribute has no rule
  attributes: { limit: 'number' },
});
defineOp({
  ...rest,
  name: 'types/unknown',
  doc: { ...doc, parameters: { weights: 'float32[n]' } },
  // @ts-expect-error an unknown element type
  parameters: { weights: ['float33'] },
});
// @ts-expect-error a rule for an attribute that the documentation does not list
defineOp({ ...rest, name: 'types/undocumented', doc, attributes: { limit: 'number' } });
