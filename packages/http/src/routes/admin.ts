import { shown } from '@brezel/oip';
import type { FastifyInstance } from 'fastify';
import { httpError } from '../errors.js';
import { parseJson } from '../json.js';
import type { Served } from '../served.js';

interface Params {
  /** The reference of the alias: `NAME:ALIAS`, or only `NAME` for the alias `default`. */
  readonly reference: string;
}

type Json = Readonly<Record<string, unknown>>;

/** For each action on an alias, the function that runs the action with the checked body. */
const ACTIONS: Readonly<Record<string, (served: Served, reference: string, body: Json) => unknown>> = {
  // Loads the version first, so that no request waits for it.
  promote: ({ registry }, reference, body) => registry.promote(reference, versionAt(body, 'version')),
  rollback: ({ registry }, reference) => registry.rollback(reference),
  canary: async ({ registry }, reference, body) => {
    const [to, percent] = [versionAt(body, 'to'), numberAt(body, 'percent', 100)];
    await registry.load(`${nameOf(reference)}@${to}`);
    registry.canary(reference, { to, percent });
  },
  shadow: ({ registry }, reference, body) => {
    if (body.to === null) return registry.shadow(reference, undefined);
    const sample = body.sample === undefined ? {} : { sample: numberAt(body, 'sample', 1) };
    return registry.shadow(reference, { to: versionAt(body, 'to'), ...sample });
  },
};

/**
 * Adds the routes that change aliases: promote, rollback, canary and shadow. The routes exist only
 * if the server has a token. Each route answers with the new state of the alias.
 */
export function adminRoutes(app: FastifyInstance, served: Served): void {
  const { registry } = served;
  const config = { group: 'control' } as const;
  app.get('/admin/models', { config }, async () => {
    const { versions, aliases, bytes, budgetBytes } = registry.stats();
    // JSON has no infinity, so a missing limit has no field.
    return { versions, aliases, bytes, ...(Number.isFinite(budgetBytes) && { budgetBytes }) };
  });
  for (const [name, action] of Object.entries(ACTIONS))
    app.post<{ Params: Params; Body: Buffer | undefined }>(
      `/admin/aliases/:reference/${name}`,
      { config },
      async ({ params: { reference }, body }) => {
        await action(served, reference, bodyOf(body, served));
        const alias = reference.includes(':') ? reference : `${reference}:default`;
        return registry.model(nameOf(reference))?.aliases.find((one) => one.alias === alias);
      },
    );
}

const nameOf = (reference: string) => reference.split(':', 1)[0]!;

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
