import { shown } from '@brezel/oip';
import type { FastifyInstance } from 'fastify';
import { httpError } from '../errors.js';
import { parseJson } from '../json.js';
import { type ModelChange, modelOf } from '../model-changes.js';
import type { Served } from '../served.js';

interface Params {
  /** The reference of the alias: `NAME:ALIAS`, or only `NAME` for the alias `default`. */
  readonly reference: string;
}

type Json = Readonly<Record<string, unknown>>;

/** The actions on an alias. Each checks the body of the request and returns the change. */
const ACTIONS: Readonly<Record<string, (reference: string, body: Json) => ModelChange>> = {
  promote: (reference, body) => ({ action: 'promote', reference, version: versionAt(body, 'version') }),
  rollback: (reference) => ({ action: 'rollback', reference }),
  canary: (reference, body) => ({
    action: 'canary',
    reference,
    to: versionAt(body, 'to'),
    percent: numberAt(body, 'percent', 100),
  }),
  shadow: (reference, body) => {
    if (body.to === null) return { action: 'shadow', reference, to: undefined, sample: undefined };
    const sample = body.sample === undefined ? undefined : numberAt(body, 'sample', 1);
    return { action: 'shadow', reference, to: versionAt(body, 'to'), sample };
  },
};

/**
 * Adds the routes that change aliases: promote, rollback, canary and shadow. Each route answers
 * with the new state of the alias. A server without a token rejects requests to these routes.
 */
export function adminRoutes(app: FastifyInstance, served: Served): void {
  const { registry } = served;
  const config = { group: 'control' } as const;
  app.get('/admin/models', { config }, async () => {
    const { versions, aliases, parameters, budgetBytes } = await served.statistics();
    return { versions, aliases, bytes: parameters.bytes, ...(budgetBytes !== undefined && { budgetBytes }) };
  });
  for (const [name, action] of Object.entries(ACTIONS))
    app.post<{ Params: Params; Body: Buffer | undefined }>(
      `/admin/aliases/:reference/${name}`,
      { config },
      async ({ params: { reference }, body }) => {
        await served.change(action(reference, bodyOf(body, served)));
        const alias = reference.includes(':') ? reference : `${reference}:default`;
        return registry.model(modelOf(reference))?.aliases.find((one) => one.alias === alias);
      },
    );
}

function bodyOf(body: Buffer | undefined, { parse }: Served): Json {
  if (body === undefined || body.length === 0) return {};
  const value = parseJson(body, parse);
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Json;
  throw httpError('ERR_HTTP_REQUEST', { expected: 'a JSON object', received: shown(value) });
}

function versionAt(body: Json, field: string): string {
  const value = body[field];
  if (typeof value === 'string' || Number.isSafeInteger(value)) return `${value}`;
  throw httpError('ERR_HTTP_REQUEST', { expected: 'a version', received: shown(value), at: field });
}

function numberAt(body: Json, field: string, most: number): number {
  const value = body[field];
  if (typeof value === 'number' && value >= 0 && value <= most) return value;
  throw httpError('ERR_HTTP_REQUEST', { expected: `a number from 0 to ${most}`, received: shown(value), at: field });
}
