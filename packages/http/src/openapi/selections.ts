// The routes of selections, as OpenAPI.

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ 'application/json': { schema } });
const text = { type: 'string' };
const texts = { type: 'array', items: text };
const share = { type: 'number', minimum: 0, maximum: 1 };

/** The schemas of the routes of selections. Only documents of servers with selections use them. */
const schemas = {
  SelectedAnswer: {
    type: 'object',
    required: ['answer', 'confidence', 'isFallback', 'asked', 'missing', 'query'],
    properties: {
      answer: true,
      confidence: share,
      isFallback: { type: 'boolean' },
      asked: texts,
      missing: {
        type: 'array',
        items: {
          type: 'object',
          required: ['candidate', 'reason'],
          properties: { candidate: text, reason: { enum: ['late', 'failed'] }, error: reference('Error') },
        },
      },
      query: text,
    },
  },
  FeedbackLosses: {
    type: 'object',
    required: ['loss', 'losses'],
    properties: { loss: share, losses: { type: 'object', additionalProperties: share } },
  },
};

const context = {
  name: 'context',
  in: 'query',
  description: 'The user, session or place for which the selection learns separately',
  schema: { type: 'string', maxLength: 512 },
};
const deadline = { name: 'deadline_ms', in: 'query', schema: { type: 'number', exclusiveMinimum: 0 } };

const responses = (description: string, schema: string) => ({
  200: { description, content: json(reference(schema)) },
  '4XX': { description: 'The request cannot be answered', content: json(reference('Error')) },
  '5XX': { description: 'The server cannot answer now', content: json(reference('Error')) },
});

/** Returns the paths and the schemas of the selections with these names. */
export function selectionDocument(names: readonly string[]): { readonly paths: object; readonly schemas: object } {
  if (names.length === 0) return { paths: {}, schemas: {} };
  return {
    paths: {
      ...Object.fromEntries(
        names.map((name, index) => [`/select/${encodeURIComponent(name)}`, selectPath(name, index)]),
      ),
      '/feedback/{query}': feedbackPath,
    },
    schemas,
  };
}

const selectPath = (name: string, index: number) => ({
  post: {
    operationId: `select.Selection${index}_${name.replace(/[^A-Za-z0-9._-]/g, '_')}`,
    summary: `Answer one row with the selection ${name}`,
    description: 'The body is the row. The response has the identifier of the query, for feedback.',
    tags: ['selection'],
    parameters: [context, deadline],
    requestBody: { required: true, content: json({}) },
    responses: responses('The answer to the row', 'SelectedAnswer'),
  },
});

const feedbackPath = {
  parameters: [{ name: 'query', in: 'path', required: true, schema: text }],
  post: {
    operationId: 'feedback',
    summary: 'Send the right answer to a query',
    description: 'The body is the truth that the loss function of the selection receives.',
    tags: ['selection'],
    parameters: [context, deadline],
    requestBody: { required: true, content: json({}) },
    responses: responses('The losses that the selection has learned', 'FeedbackLosses'),
  },
};
