import { existsSync, mkdirSync } from 'node:fs';
import { createSelection, memoryState, ucb1 } from '@brezel/selection';
import { source as axe } from 'axe-core';
import { createRegistry, createRuntime, openStore } from 'brezel';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningServer, startServer } from '../dist/index.js';
import { addModel, echoModel } from './models.js';

/** Debian's Chromium, or the browser in BREZEL_CHROMIUM. */
const executablePath = process.env.BREZEL_CHROMIUM ?? '/usr/bin/chromium';
const HOSTILE = '<script>document.title = "hacked"</script>';
const pictures = new URL('../../../test-results/page/', import.meta.url).pathname;
const models = new URL('../../../examples/models/', import.meta.url);

const store = await openStore();
const runtime = createRuntime({ store, latencies: { stagesEvery: 1 } });
const registry = await createRegistry({ runtime });
const options = { quality: { sampleEvery: 1 } } as const;
registry.add('sentiment', new URL('sa-fam-a-00.onnx', models), { ...options, version: 1 });
registry.add('sentiment', new URL('sa-fam-a-01.onnx', models), { ...options, version: 2 });
addModel(registry, HOSTILE, echoModel('f32', 'flag', 'text'));
for (const name of ['sentiment@1', 'sentiment@2', HOSTILE]) await registry.load(name);

const memory = memoryState();
let isStoreAway = false;
const selections = {
  film: createSelection<{ readonly text: string }, string>({
    candidates: { [HOSTILE]: () => 'bad', good: () => 'good', short: ({ text }) => (text.length < 9 ? 'bad' : 'good') },
    loss: (truth, answer) => (truth === answer ? 0 : 1),
    fallback: 'unknown',
    leastConfidence: 0.5,
    state: {
      read: (key) => (isStoreAway ? Promise.reject(new Error('the store is away')) : memory.read(key)),
      update: (keys, change) => memory.update(keys, change),
    },
  }),
  many: createSelection<string, number>({
    candidates: Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`candidate ${at}`, () => at])),
    loss: (truth, answer) => Math.abs(truth - answer) / 5,
    policy: ucb1(),
  }),
};
/** Answers rows and sends feedback. */
async function select(): Promise<void> {
  for (let row = 0; row < 5; row++) {
    const film = await selections.film.predict({ text: 'a charming film' });
    await selections.film.feedback(film.query, 'good');
    const many = await selections.many.predict('');
    await selections.many.feedback(many.query, 2);
  }
}

let server: RunningServer;
let browser: Browser;
beforeAll(async () => {
  mkdirSync(pictures, { recursive: true });
  server = await startServer({ registry, runtime, port: 0, token: 'secret', page: true, selections });
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
  await registry.close();
  await runtime.close();
});

type Scheme = 'light' | 'dark';

/**
 * Opens the page in a new window and signs in. Fails at the end if the console has logged an error.
 */
async function opened(width: number, colorScheme: Scheme, use: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => request.url().startsWith(server.url) || problems.push(request.url()));
  await page.goto(`${server.url}/page`);
  await page.getByLabel('Token of the server').fill('secret');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Try a row' }).waitFor();
  // Chromium logs the status 401 of the form to sign in.
  problems.splice(0, problems.length, ...problems.filter((text) => !text.includes('401')));
  await use(page);
  expect(problems).toEqual([]);
  await context.close();
}

/** Returns the rules of axe-core that the page breaks, with the first element of each. */
async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(
    'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes[0].html))',
  );
}

describe.runIf(existsSync(executablePath))('the page in Chromium', () => {
  test('shows models as text, the plan, and the memory that models share', () =>
    opened(1280, 'light', async (page) => {
      expect(await page.title()).toBe('Brezel');
      await page.getByRole('button', { name: HOSTILE }).click();
      await page.getByRole('heading', { name: HOSTILE }).waitFor();
      expect(await page.title()).toBe('Brezel');
      await page.getByText(/sharing saves/).waitFor();
      await page.getByRole('button', { name: 'sentiment@1' }).click();
      await page.getByRole('region', { name: 'Stages of the plan' }).getByText('text_ngram').first().waitFor();
    }));

  test('shows selections, and adds a line for a candidate that was added', () =>
    opened(1280, 'light', async (page) => {
      await select();
      const candidates = page.getByRole('region', { name: 'Candidates of film' });
      await candidates.getByRole('row', { name: HOSTILE }).waitFor();
      await page.getByText('film: weight of each candidate', { exact: true }).waitFor();
      selections.film.add('added', () => 'good');
      await candidates.getByRole('row', { name: 'added' }).waitFor();
      expect(await page.getByRole('region', { name: 'Candidates of film' }).count()).toBe(1);
      selections.film.remove('added');
    }));

  test('keeps the chart of the weights if the store fails for one reading', () =>
    opened(1280, 'light', async (page) => {
      await select();
      const chart = page.locator('figure', { hasText: 'film: weight of each candidate' });
      await chart.waitFor();
      await chart.evaluate((figure) => figure.setAttribute('data-first', ''));
      const weight = page.getByRole('region', { name: 'Candidates of film' }).getByRole('row', { name: 'good' });
      try {
        isStoreAway = true;
        await weight.getByRole('cell', { name: '–', exact: true }).waitFor();
        expect(await chart.and(page.locator('[data-first]')).count()).toBe(1);
      } finally {
        isStoreAway = false;
      }
      await weight.getByRole('cell', { name: '–', exact: true }).waitFor({ state: 'detached' });
      expect(await chart.and(page.locator('[data-first]')).count()).toBe(1);
    }));

  test('answers a row of the form and explains the answer', () =>
    opened(1280, 'dark', async (page) => {
      const form = page.getByRole('form', { name: /Try a row/ });
      await form.getByLabel('text').fill('a charming little film');
      await form.getByRole('button', { name: 'Answer' }).click();
      await page.getByRole('region', { name: 'Contributions to the score' }).waitFor();
      expect(await page.locator('.marked mark').count()).toBeGreaterThan(0);
    }));

  test('the form to sign in is accessible, and reports a wrong token', async () => {
    const page = await browser.newPage();
    await page.goto(`${server.url}/page`);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByLabel('Token of the server').fill('guess');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('The token is wrong.').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.close();
  });

  test('moves a canary with the keyboard', () =>
    opened(1280, 'light', async (page) => {
      const slider = page.getByLabel('Share of the requests for the other version');
      await slider.focus();
      for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowRight');
      await page.getByRole('button', { name: 'Set canary' }).focus();
      await page.keyboard.press('Enter');
      await page.getByText(/Canary: 3 % of the requests go to sentiment@2/).waitFor();
      expect(registry.model('sentiment')!.aliases[0]!.canary).toMatchObject({ version: 'sentiment@2', percent: 3 });
      await page.getByRole('button', { name: 'Roll back' }).click();
      await page.getByText(/points to sentiment@1 \(\d+ requests\)\.$/).waitFor();
    }));

  test.each([
    [1280, 'light'],
    [1280, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const)('fits %i pixels in the %s scheme', (width, scheme) =>
    opened(width, scheme, async (page) => {
      const form = page.getByRole('form', { name: /Try a row/ });
      await form.getByLabel('text').fill('a charming little film, but a waste of time');
      await form.getByRole('button', { name: 'Answer' }).click();
      await page.getByRole('region', { name: 'Contributions to the score' }).waitFor();
      for (let reading = 0; reading < 3; reading++) {
        await select();
        await page.evaluate(() =>
          fetch('predict/sentiment@2', {
            method: 'POST',
            body: '{"text":"good"}',
            headers: { 'content-type': 'application/json' },
          }),
        );
        await page.waitForResponse('**/page/statistics');
      }
      await page.getByText(/requests\/s/).waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.screenshot({ path: `${pictures}${scheme}-${width}.png`, fullPage: true });
    }),
  );
});
