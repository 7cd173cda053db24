import type { FastifyInstance, FastifyReply, onRequestHookHandler } from 'fastify';
import { text as html } from '../../page/index.html?bundle';
import { text as style } from '../../page/main.css?bundle';
import { text as script } from '../../page/main.ts?bundle';
import { text as signIn } from '../../page/sign-in.html?bundle';
import type { Access } from '../access.js';
import { loggedResponse } from '../error-response.js';
import type { Served } from '../served.js';
import { modelViewRoutes } from './model-view.js';

export interface PageParts {
  readonly served: Served;
  readonly access: Access;
  /** A hook that counts a prediction in flight, for routes that predict. */
  readonly enter: onRequestHookHandler;
}

/**
 * Headers of all responses of the page. With them, a browser loads nothing from other hosts, runs
 * no inline script, and does not show the page in a frame. The sign-in form needs this
 * Referrer-Policy: without it, browsers send `Origin: null`.
 */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

/** The largest body of a sign-in request, in bytes. */
const FORM_BYTES = 8192;

/** Adds the page for browsers at `/page`, and the files and data that the page loads. */
export async function pageRoutes(app: FastifyInstance, { served, access, enter }: PageParts): Promise<void> {
  const page = { config: { group: 'page' } } as const;
  const open = { config: { group: 'signIn' } } as const;
  app.addHook('onSend', async (_, reply) => void reply.headers(HEADERS));

  app.get('/', page, async (_, reply) => reply.redirect(`${app.prefix}/page`));
  app.get('/page/main.css', open, async (_, reply) => reply.type('text/css; charset=utf-8').send(style));
  app.get('/page/main.js', page, async (_, reply) => reply.type('text/javascript; charset=utf-8').send(script));
  app.get('/page/statistics', page, async () => served.statistics());
  app.get('/page/session', page, async (request) => ({
    hasControl: access.sessions !== undefined,
    isSignedIn: access.sessions?.admits(request) ?? false,
  }));
  await app.register(async (views) => modelViewRoutes(views, served, enter));
  await app.register(async (documents) => {
    // A request without the token gets the sign-in form instead of the page, with status 401.
    documents.setErrorHandler((error, request, reply) => {
      const { status, body } = loggedResponse(error, request.log);
      return status === 401 ? sendHtml(reply.code(401), signIn) : reply.code(status).send(body);
    });
    documents.get('/page', page, async (_, reply) => sendHtml(reply, html));
  });
  if (access.sessions !== undefined) await app.register(async (forms) => signInRoutes(forms, access));
}

const sendHtml = (reply: FastifyReply, text: string) => reply.type('text/html; charset=utf-8').send(text);

/** Adds the form for the token, and the route that checks the token and starts a session. */
function signInRoutes(app: FastifyInstance, { isToken, sessions }: Access): void {
  const config = { group: 'signIn' } as const;
  const home = `${app.prefix}/page`;
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: FORM_BYTES },
    (_, body, done) => done(null, body),
  );
  app.get('/sign-in', { config }, async (_, reply) => sendHtml(reply, signIn));
  app.post<{ Body: string | undefined }>('/sign-in', { config }, async (request, reply) => {
    const token = new URLSearchParams(request.body ?? '').get('token') ?? '';
    if (!isToken(token)) return sendHtml(reply.code(401), withError(signIn));
    return reply.header('set-cookie', sessions!.cookie(request, app.prefix || '/')).redirect(home, 303);
  });
}

/** Returns the form with the message about a wrong token, by removing its attribute `hidden`. */
const withError = (form: string) => form.replace(' hidden', '');
