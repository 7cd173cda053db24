import type { FastifyInstance } from 'fastify';
import { openApiDocument } from '../openapi/document.js';
import type { InferenceOptions } from '../options.js';
import type { NamedSelections } from '../selections/selection-app.js';

/**
 * Adds `/openapi.json`. Each request creates the document, so that it describes the models that are
 * loaded at that time.
 */
export function openApiRoute(
  app: FastifyInstance,
  { registry, token, open = [] }: InferenceOptions,
  maxExplainedRows: number,
  selections: NamedSelections,
): void {
  const groups = (['predict', 'metrics', 'control'] as const).filter(
    (group) => group === 'control' || !open.includes(group),
  );
  const secured = new Set(token === undefined ? [] : groups);
  const options = { registry, prefix: app.prefix, secured, maxExplainedRows, selections: [...selections.keys()] };
  app.get('/openapi.json', async () => openApiDocument(options));
}
