import type { ModelProto } from './proto/schema.js';

/** The default domain has two names. */
export const domainOf = (domain: string): string => (domain === 'ai.onnx' ? '' : domain);

/** Operator-set versions by domain. */
export const opsetsOf = (list: ModelProto['opsetImport']): Map<string, number> =>
  new Map(list.map(({ domain, version }) => [domainOf(domain), version]));

/** What tells a function of a model from all others. */
export const functionKey = (domain: string, name: string, overload: string): string =>
  JSON.stringify([domainOf(domain), name, overload]);

/** Subgraphs inside subgraphs, and functions that call functions. */
export const MAX_NESTING = 24;
