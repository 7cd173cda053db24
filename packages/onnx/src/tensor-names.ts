import { onnxOperators } from '@brezel/flour';
import { allTensorOperators } from '@brezel/tensors';
import { onnxError } from './errors.js';
import type { ModelProto } from './proto/schema.js';

/**
 * Returns the name of a domain. The default domain has two names, `ai.onnx` and the empty name; the
 * result is the empty name.
 */
export const domainOf = (domain: string): string => (domain === 'ai.onnx' ? '' : domain);

/** Returns the version of each operator set that a file declares, by domain. */
export const opsetsOf = (list: ModelProto['opsetImport']): Map<string, number> =>
  new Map(list.map(({ domain, version }) => [domainOf(domain), version]));

/**
 * The default versions of operator sets that a file uses but does not declare. onnxruntime accepts
 * such files too. A file that declares no operator set at all gets no default version, because it
 * is probably truncated.
 */
const undeclared: ReadonlyMap<string, number> = new Map([
  ['ai.onnx.ml', 5],
  ['com.microsoft', 1],
]);

/**
 * Returns the version of a domain's operator set. A file must declare every domain that it uses,
 * except the domains in `undeclared`. Files of IR version 1 and 2 declare no domain.
 *
 * @throws ERR_ONNX_GRAPH for an undeclared domain.
 */
export function opsetOf(
  domain: string,
  operator: string,
  opsets: ReadonlyMap<string, number>,
  irVersion: number,
): number {
  const added = opsets.size > 0 ? undeclared.get(domain) : undefined;
  const version = opsets.get(domain) ?? added ?? (irVersion < 3 ? 1 : undefined);
  if (version !== undefined) return version;
  throw onnxError('ERR_ONNX_GRAPH', {
    expected: `an operator set for domain "${domain || 'ai.onnx'}"`,
    received: 'none',
    at: operator,
    hint: 'the file is cut off, or its opset_import is not complete',
  });
}

/** The newest version of each operator set that Brezel supports, by domain. */
const newest = new Map<string, number>();
for (const { domain, versions } of [...onnxOperators, ...allTensorOperators()])
  newest.set(domain, Math.max(newest.get(domain) ?? 0, versions[1]));

/**
 * Throws for an operator set that does not exist, and for a version that is newer than the newest
 * supported one.
 *
 * @throws ERR_ONNX_UNSUPPORTED
 */
export function checkOpset(domain: string, version: number, at: string): void {
  const most = newest.get(domain);
  if (most === undefined || (Number.isInteger(version) && version >= 1 && version <= most)) return;
  throw onnxError('ERR_ONNX_UNSUPPORTED', {
    expected: `operator set 1 to ${most} of ${domain || 'ai.onnx'}`,
    received: `${version}`,
    at,
    hint: `export the model with target_opset ${most} or lower`,
  });
}

/** Returns the text that identifies a function among the functions of a model. */
export const functionKey = (domain: string, name: string, overload: string): string =>
  JSON.stringify([domainOf(domain), name, overload]);

/** The largest nesting depth of subgraphs and of function calls. */
export const MAX_NESTING = 24;
