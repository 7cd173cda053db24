import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { source as axe } from 'axe-core';
import { createFlour, createRuntime, importModel } from 'brezel';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** Debian's Chromium, or the browser in BREZEL_CHROMIUM. */
const executablePath = process.env.BREZEL_CHROMIUM ?? '/usr/bin/chromium';
const hasBrowser = existsSync(executablePath);
if (!hasBrowser) console.log(`skipped: the page of brezel/web, because ${executablePath} is missing`);
const root = new URL('../../../../', import.meta.url);

const started: { kill(): unknown }[] = [];
let browser: Browser | undefined;
let url: string;
beforeAll(async () => {
  if (!hasBrowser) return;
  url = await startPage();
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
});
afterAll(async () => {
  await browser?.close();
  for (const one of started) one.kill();
});

/** Starts the example, and returns the URL that it prints. */
async function startPage(): Promise<string> {
  const example = spawn(process.execPath, ['examples/dist/web-page/main.js', '0'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(example);
  const [line] = (await once(createInterface({ input: example.stdout }), 'line')) as [string];
  return /http:\S+/.exec(line)![0];
}

/** Returns the answer that Node computes. */
async function answerInNode(text: string): Promise<{ label: number; probabilities: readonly number[] }> {
  const flour = await createFlour();
  const model = importModel(readFileSync(new URL('examples/models/sa-fam-a-00.onnx', root)), flour);
  if (model.kind !== 'row') throw model.why;
  const plan = model.program.plan();
  const runtime = createRuntime({ store: flour.store, executors: 0 });
  const answer = runtime.predictSync(runtime.register(plan), text);
  await runtime.close();
  plan.release();
  flour.dispose();
  return JSON.parse(JSON.stringify(answer));
}

test.runIf(hasBrowser)('a page in Chromium answers as Node does, under a strict policy', async () => {
  const page = await browser!.newPage();
  const problems: string[] = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => request.url().startsWith(url) || problems.push(request.url()));
  const response = await page.goto(url);
  expect(response?.headers()['content-security-policy']).toContain("script-src 'self' 'wasm-unsafe-eval'");
  expect(await page.evaluate('[self.crossOriginIsolated, typeof SharedArrayBuffer]')).toEqual([false, 'undefined']);
  const bar = page.getByRole('meter', { name: 'Probability of a positive review' });
  for (const text of ['a charming film', 'Dull — and far too long 😴']) {
    await page.getByLabel('Review', { exact: true }).fill(text);
    const { label, probabilities } = await answerInNode(text);
    await page.getByText(`${['negative', 'positive'][label]}, ${(100 * probabilities[label]!).toFixed(1)} %`).waitFor();
    expect(Number(await bar.getAttribute('aria-valuenow'))).toBe(100 * probabilities[1]!);
  }
  expect(problems).toEqual([]);
});

test.runIf(hasBrowser).each(['light', 'dark'] as const)(
  'the page is accessible on 420 pixels, %s',
  async (colorScheme) => {
    const page = await browser!.newPage({ colorScheme, viewport: { width: 420, height: 700 }, bypassCSP: true });
    await page.goto(url);
    await page.getByRole('meter').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.evaluate(axe);
    const broken = 'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes[0].html))';
    expect(await page.evaluate(broken)).toEqual([]);
  },
);
