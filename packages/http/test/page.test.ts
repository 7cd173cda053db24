import { request } from 'node:http';
import { createRegistry } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { startServer } from '../dist/index.js';
import { addModel, constantModel, get, post, send, serving } from './models.js';

const HOSTILE = '<script>alert(1)</script>';
const bearer = { authorization: 'Bearer secret' };
const { app, close } = await serving(
  (registry) => {
    addModel(registry, 'film', constantModel(1));
    addModel(registry, HOSTILE, constantModel(2));
  },
  { token: 'secret', page: true },
);
afterAll(close);

const signIn = (token: string, headers: object = {}) =>
  post(app, '/sign-in', new URLSearchParams({ token }).toString(), {
    'content-type': 'application/x-www-form-urlencoded',
    ...headers,
  });
const cookieOf = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) =>
  `${headers['set-cookie']}`.split(';')[0]!;

describe('the page', () => {
  test('needs the token: a browser gets the form to sign in', async () => {
    const { status, body } = await get(app, '/page');
    expect([status, body.includes('name="token"')]).toEqual([401, true]);
    for (const path of ['/page/main.js', '/page/statistics', '/page/models/film', '/statistics', '/'])
      expect((await get(app, path)).status).toBe(401);
    expect((await post(app, '/page/contributions/film', { x: [1, 2] })).status).toBe(401);
    expect((await get(app, '/page/main.css')).status).toBe(200);
  });

  test('runs no inline script and loads nothing from other hosts', async () => {
    const { headers, body } = await get(app, '/page', bearer);
    const policy = `${headers['content-security-policy']}`;
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).not.toMatch(/unsafe|https?:/);
    expect(body).not.toMatch(/https?:|<script>|<style|style=| on\w+=/);
    expect((await get(app, '/page/main.css', bearer)).body).not.toMatch(/url\(|https?:/);
    expect((await get(app, '/', bearer)).status).toBe(302);
  });

  test('a session reads the page and controls models, from the same origin only', async () => {
    const signed = await signIn('secret');
    expect([signed.status, signed.headers.location]).toEqual([303, '/page']);
    expect(signed.headers['set-cookie']).toMatch(/; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
    const cookie = cookieOf(signed);
    expect((await get(app, '/page', { cookie })).body).toContain('page/main.js');
    expect((await get(app, '/page/session', { cookie })).body).toEqual({ hasControl: true, isSignedIn: true });
    const load = (headers: object) => post(app, '/v2/repository/models/film/load', {}, headers);
    expect((await load({ cookie })).status).toBe(401);
    expect((await load({ cookie, host: 'localhost', origin: 'http://other' })).status).toBe(403);
    expect((await load({ cookie, host: 'localhost', origin: 'http://localhost' })).status).toBe(200);
    expect((await load({ host: 'localhost', origin: 'http://localhost' })).status).toBe(401);
  });

  test('rejects wrong tokens and changed cookies', async () => {
    const wrong = await signIn('guess');
    expect([wrong.status, wrong.headers['set-cookie'], wrong.body.includes(' hidden')]).toEqual([
      401,
      undefined,
      false,
    ]);
    expect((await signIn('secret', { host: 'localhost', origin: 'null' })).status).toBe(403);
    expect((await signIn('x'.repeat(10_000))).status).toBe(413);
    const [name, value] = cookieOf(await signIn('secret')).split('=') as [string, string];
    const [expiry, signature] = value.split('.') as [string, string];
    for (const changed of [
      `${Number(expiry) + 1}.${signature}`,
      `1.${signature}`,
      `${expiry}.${'A'.repeat(43)}`,
      value.slice(1),
      '',
    ])
      expect((await get(app, '/page/statistics', { cookie: `${name}=${changed}` })).status).toBe(401);
  });

  test('shows names of models as data, never as HTML', async () => {
    const { body } = await get(app, '/page/statistics', bearer);
    expect(body.versions.map(({ version }: { version: string }) => version)).toContain(`${HOSTILE}@1`);
    const view = await get(app, `/page/models/${encodeURIComponent(HOSTILE)}`, bearer);
    expect(view.headers['content-type']).toMatch(/^application\/json/);
    expect(view.headers['x-content-type-options']).toBe('nosniff');
    expect((await get(app, '/page', bearer)).body).not.toContain('alert');
  });

  test('describes a version and explains a row', async () => {
    const { body } = await get(app, '/page/models/film', bearer);
    expect(body).toMatchObject({ version: 'film@1', rowSchema: { anyOf: expect.any(Array) } });
    expect(body.stages[0]).toMatchObject({ operators: ['linear'], plans: expect.any(Number) });
    const why = await post(app, '/page/contributions/film', { x: [1, 2] }, bearer);
    expect(why).toMatchObject({ status: 200, body: { output: 'y', raw: 1, base: 1, contributions: [] } });
    expect((await post(app, '/page/contributions/film', { x: [1] }, bearer)).status).toBe(400);
    expect((await post(app, '/page/contributions/other', { x: [1] }, bearer)).status).toBe(404);
  });

  test('is open with open: page, but control still needs a session', async () => {
    const open = await serving((registry) => void addModel(registry, 'film', constantModel(1)), {
      token: 'secret',
      page: true,
      open: ['page'],
    });
    expect((await get(open.app, '/page')).status).toBe(200);
    expect((await get(open.app, '/page/session')).body).toEqual({ hasControl: true, isSignedIn: false });
    expect((await post(open.app, '/admin/aliases/film/rollback', {})).status).toBe(401);
    expect((await post(open.app, '/page/contributions/film', { x: [1, 2] })).status).toBe(401);
    await open.close();
  });

  test('does not exist without the option, and has no form without a token', async () => {
    const [without, noToken] = await Promise.all([serving(() => undefined), serving(() => undefined, { page: true })]);
    expect((await get(without.app, '/page')).status).toBe(404);
    expect((await get(noToken.app, '/sign-in')).status).toBe(404);
    expect((await get(noToken.app, '/page/session')).body).toEqual({ hasControl: false, isSignedIn: false });
    await without.close();
    await noToken.close();
  });

  test('checks the Host of a server on loopback', async () => {
    const registry = await createRegistry();
    const server = await startServer({ registry, port: 0, page: true });
    const status = await new Promise((resolve) => {
      const headers = { host: 'attacker.example' };
      request(`${server.url}/page`, { headers }, (response) => resolve(response.resume().statusCode)).end();
    });
    expect(status).toBe(403);
    await server.close();
    await registry.close();
  });
});

describe('/statistics', () => {
  test('counts requests, their times and failures, by version', async () => {
    for (const payload of [{ x: [1, 2] }, { x: [3, 4] }, { x: 'wrong' }])
      await send(app, { method: 'POST', url: '/predict/film', payload, headers: bearer });
    const inputs = [{ name: 'x', datatype: 'FP32', shape: [1, 2], data: [1, 2] }];
    expect((await post(app, '/v2/models/film/infer', { inputs }, bearer)).status).toBe(200);
    const { body } = await get(app, '/statistics', bearer);
    const film = body.versions.find(({ version }: { version: string }) => version === 'film@1');
    expect(film.times.count).toBeGreaterThanOrEqual(4);
    const sum = (buckets: [number, number][]) => buckets.reduce((total, [, count]) => total + count, 0);
    expect(sum(film.times.buckets)).toBe(film.times.count);
    expect(body.requests).toMatchObject({ inFlight: 0, failed: expect.any(Number) });
    expect(body.processes).toEqual([expect.objectContaining({ pid: process.pid, rssBytes: expect.any(Number) })]);
    expect(body.parameters).toEqual({ bytes: expect.any(Number), unsharedBytes: expect.any(Number) });
  });
});
