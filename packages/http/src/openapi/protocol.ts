// The routes of the Open Inference Protocol v2 and its extensions, as OpenAPI.
import type { RouteGroup } from '../access.js';
import type { protocolSchemas } from './schemas.js';

type SchemaName = keyof typeof protocolSchemas;

const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const reference = (name: SchemaName) => ({ $ref: `#/components/schemas/${name}` });

interface Operation {
  readonly id: string;
  readonly summary: string;
  readonly tag: 'health' | 'metadata' | 'inference' | 'repository' | 'admin' | 'server';
  readonly response: object;
  readonly body?: object;
  readonly isBodyRequired?: boolean;
  readonly status?: Readonly<Record<number, object>>;
}

function operation({ id, summary, tag, response, body, isBodyRequired = true, status = {} }: Operation): object {
  const error = json(reference('Error'));
  return {
    operationId: id,
    summary,
    tags: [tag],
    ...(body && { requestBody: { required: isBodyRequired, ...body } }),
    responses: {
      200: { description: 'OK', ...response },
      ...status,
      '4XX': { description: 'The request cannot be answered', ...error },
      '5XX': { description: 'The server cannot answer now', ...error },
    },
  };
}

const parameter = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string' } });

/** Returns two routes of one model: for its default version, and for a named version. */
const modelPaths = (end: string, method: 'get' | 'post', { id, ...rest }: Operation) => ({
  [`/v2/models/{name}${end}`]: { parameters: [parameter('name')], [method]: operation({ id, ...rest }) },
  [`/v2/models/{name}/versions/{version}${end}`]: {
    parameters: [parameter('name'), parameter('version')],
    [method]: operation({ id: `${id}OfVersion`, ...rest }),
  },
});

const notReady = (name: SchemaName) => ({ 503: { description: 'Not ready', ...json(reference(name)) } });

/** Routes that never need a token. */
export const openPaths = {
  '/v2/health/live': {
    get: {
      ...operation({
        id: 'live',
        summary: 'Whether the server runs',
        tag: 'health',
        response: json(reference('Health')),
      }),
      security: [],
    },
  },
  '/v2/health/ready': {
    get: {
      ...operation({
        id: 'ready',
        summary: 'Whether the server accepts requests',
        tag: 'health',
        response: json(reference('Health')),
        status: notReady('Health'),
      }),
      security: [],
    },
  },
};

const octets = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };

export const protocolPaths = {
  '/v2': {
    get: operation({
      id: 'serverMetadata',
      summary: 'Describe the server',
      tag: 'metadata',
      response: json(reference('ServerMetadata')),
    }),
  },
  ...modelPaths('', 'get', {
    id: 'modelMetadata',
    summary: 'Describe the tensors of a model',
    tag: 'metadata',
    response: json(reference('ModelMetadata')),
  }),
  ...modelPaths('/ready', 'get', {
    id: 'modelReady',
    summary: 'Whether a model is loaded',
    tag: 'health',
    response: json(reference('ModelReady')),
    status: notReady('ModelReady'),
  }),
  ...modelPaths('/infer', 'post', {
    id: 'infer',
    summary: 'Answer tensors',
    tag: 'inference',
    body: { content: { ...json(reference('InferenceRequest')).content, ...octets } },
    response: { content: { ...json(reference('InferenceResponse')).content, ...octets } },
  }),
  '/v2/repository/index': {
    post: operation({
      id: 'repositoryIndex',
      summary: 'List all versions with their states',
      tag: 'repository',
      body: json({ type: 'object', properties: { ready: { type: 'boolean' } } }),
      isBodyRequired: false,
      response: json({ type: 'array', items: reference('IndexEntry') }),
    }),
  },
  '/openapi.json': {
    get: operation({
      id: 'openapi',
      summary: 'This document',
      tag: 'server',
      response: json({ type: 'object' }),
    }),
  },
};

/** Routes of the access groups `control` and `metrics`. */
export const securedPaths = (securityOf: (group: RouteGroup) => readonly object[]) => ({
  ...Object.fromEntries(
    ['load', 'unload'].map((verb) => [
      `/v2/repository/models/{name}/${verb}`,
      {
        parameters: [parameter('name')],
        post: {
          security: securityOf('control'),
          ...operation({
            id: verb,
            summary: `${verb === 'load' ? 'Load' : 'Unload'} a model; needs a server with a token`,
            tag: 'repository',
            body: json(reference('Empty')),
            isBodyRequired: false,
            response: json(reference('Empty')),
          }),
        },
      },
    ]),
  ),
  '/admin/models': {
    get: {
      security: securityOf('control'),
      ...operation({
        id: 'adminModels',
        summary: 'Statistics of versions and aliases; needs a server with a token',
        tag: 'admin',
        response: json({ type: 'object' }),
      }),
    },
  },
  ...Object.fromEntries(
    ['promote', 'rollback', 'canary', 'shadow'].map((action) => [
      `/admin/aliases/{reference}/${action}`,
      {
        parameters: [parameter('reference')],
        post: {
          security: securityOf('control'),
          ...operation({
            id: action,
            summary: `Change an alias: ${action}; needs a server with a token`,
            tag: 'admin',
            body: json(reference('AliasChange')),
            isBodyRequired: action !== 'rollback',
            response: json(reference('Alias')),
          }),
        },
      },
    ]),
  ),
  '/statistics': {
    get: {
      security: securityOf('metrics'),
      ...operation({
        id: 'statistics',
        summary: 'Numbers of the server, its versions and its aliases',
        tag: 'server',
        response: json({ type: 'object' }),
      }),
    },
  },
  '/metrics': {
    get: {
      security: securityOf('metrics'),
      ...operation({
        id: 'metrics',
        summary: 'Metrics in the text format of Prometheus',
        tag: 'server',
        response: { content: { 'text/plain': { schema: { type: 'string' } } } },
      }),
    },
  },
});
