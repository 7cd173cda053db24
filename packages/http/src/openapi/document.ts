import type { ModelRegistry, VersionDescription } from 'brezel';
import type { RouteGroup } from '../access.js';
import { MOST_CONTRIBUTIONS } from '../options.js';
import { VERSION } from '../version.js';
import { openPaths, protocolPaths, securedPaths } from './protocol.js';
import { contributionsSchema, protocolSchemas } from './schemas.js';
import { selectionDocument } from './selections.js';

/** A JSON object of an OpenAPI document. */
export type OpenApiObject = { readonly [key: string]: unknown };

export interface DocumentOptions {
  readonly registry: ModelRegistry;
  /** The path in front of every route, for example `/api`. */
  readonly prefix: string;
  /** The access groups whose routes need a token. */
  readonly secured: ReadonlySet<RouteGroup>;
  /** The largest number of rows in a list with explanations. */
  readonly maxExplainedRows: number;
  /** The names of the selections. */
  readonly selections: readonly string[];
}

/**
 * Returns the OpenAPI 3.1 document of a server at this moment: the routes of the protocol, one
 * route with JSON Schemas for each loaded version, and the routes of selections.
 */
export function openApiDocument(options: DocumentOptions): OpenApiObject {
  const { registry, prefix, secured, maxExplainedRows } = options;
  const models = loadedModels(registry);
  const selections = selectionDocument(options.selections);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Brezel',
      version: VERSION,
      description: 'Inference over HTTP: Open Inference Protocol v2 and plain JSON.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: prefix === '' ? '/' : prefix }],
    security: securityOf('predict', secured),
    paths: {
      ...openPaths,
      ...protocolPaths,
      ...securedPaths((group) => securityOf(group, secured)),
      ...Object.fromEntries(
        models.map((model) => [
          `/predict/${encodeURIComponent(model.reference)}`,
          predictPath(model, maxExplainedRows),
        ]),
      ),
      ...selections.paths,
    },
    components: {
      ...(secured.size > 0 && { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } }),
      schemas: {
        ...protocolSchemas,
        ...(models.length > 0 && { Contributions: contributionsSchema }),
        ...Object.fromEntries(models.flatMap(({ key, description }) => schemasOf(key, description))),
        ...selections.schemas,
      },
    },
  };
}

const securityOf = (group: RouteGroup, secured: ReadonlySet<RouteGroup>) => (secured.has(group) ? [{ token: [] }] : []);

interface LoadedModel {
  /**
   * The reference in the path: `NAME` for the default version, `NAME@VERSION` for every version.
   */
  readonly reference: string;
  /**
   * A part of the names of the schemas and of the operation. It contains only characters that
   * OpenAPI allows in names.
   */
  readonly key: string;
  readonly description: VersionDescription;
}

function loadedModels(registry: ModelRegistry): LoadedModel[] {
  const references = registry.names().flatMap((name) => {
    const versions = registry.model(name)?.versions ?? [];
    const aliases = registry.model(name)?.aliases ?? [];
    const hasDefault = aliases.some(({ alias }) => alias === `${name}:default`);
    const byVersion = versions.map((version) => ({ reference: `${name}@${version}`, version: `${name}@${version}` }));
    if (!hasDefault) return byVersion;
    const { version } = aliases.find(({ alias }) => alias === `${name}:default`)!;
    return [{ reference: name, version }, ...byVersion];
  });
  return references.flatMap(({ reference, version }, index) => {
    const { description } = registry.route(version);
    const key = `Model${index}_${reference.replace(/[^A-Za-z0-9._-]/g, '_')}`;
    return description === undefined ? [] : [{ reference, key, description }];
  });
}

function schemasOf(key: string, { jsonSchema }: VersionDescription): [string, OpenApiObject][] {
  const { row, answer } = jsonSchema();
  return [
    [`${key}.Row`, withoutDialect(row)],
    [`${key}.Answer`, withoutDialect(answer)],
    [`${key}.ExplainedAnswer`, explained(key)],
  ];
}

const explained = (key: string): OpenApiObject => ({
  type: 'object',
  required: ['answer', 'contributions'],
  properties: { answer: reference(`${key}.Answer`), contributions: reference('Contributions') },
});

/** Removes `$schema`, because draft 2020-12 is the default in OpenAPI 3.1. */
function withoutDialect({ $schema: _, ...schema }: OpenApiObject): OpenApiObject {
  return schema;
}

const json = (schema: OpenApiObject) => ({ 'application/json': { schema } });
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const oneOrMany = (name: string) => ({
  anyOf: [reference(name), { type: 'array', items: reference(name) }],
});

function predictPath({ reference: name, key, description }: LoadedModel, maxExplainedRows: number): OpenApiObject {
  return {
    post: {
      operationId: `predict.${key}`,
      summary: `Answer rows with ${name}`,
      description: `Version ${description.version}. Send a row, a list of rows, or one row per line as NDJSON.`,
      tags: ['predict'],
      parameters: [
        { name: 'deadline_ms', in: 'query', schema: { type: 'number', exclusiveMinimum: 0 } },
        { name: 'key', in: 'query', description: 'Selects the version of a canary', schema: { type: 'string' } },
        {
          name: 'contributions',
          in: 'query',
          description:
            'Also explains each answer: the number of contributions to list. A list of rows then has at most ' +
            `${maxExplainedRows} rows`,
          schema: { type: 'integer', minimum: 1, maximum: MOST_CONTRIBUTIONS },
        },
      ],
      requestBody: {
        required: true,
        content: { ...json(oneOrMany(`${key}.Row`)), 'application/x-ndjson': { schema: { type: 'string' } } },
      },
      responses: {
        200: {
          description: 'The answer to each row, in order',
          headers: { 'x-model-version': { description: 'The version that answered', schema: { type: 'string' } } },
          content: {
            ...json({ anyOf: [...oneOrMany(`${key}.Answer`).anyOf, ...oneOrMany(`${key}.ExplainedAnswer`).anyOf] }),
            'application/x-ndjson': { schema: { type: 'string' } },
          },
        },
        '4XX': { description: 'The request cannot be answered', content: json(reference('Error')) },
        '5XX': { description: 'The server cannot answer now', content: json(reference('Error')) },
      },
    },
  };
}
