import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../', import.meta.url);
const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
const folder = new URL('.github/workflows/', root);

test.each(readdirSync(folder))(
  '%s: its npm scripts exist, it may only read, and actions are pinned to a major',
  (file) => {
    const text = readFileSync(new URL(file, folder), 'utf8');
    const called = [...text.matchAll(/npm (?:run )?([a-z:]+)/g)]
      .map(([, name]) => name)
      .filter((name) => name !== 'ci');
    expect(called.filter((name) => name !== undefined && !(name in scripts))).toEqual([]);
    expect(text).toMatch(/^permissions:\n {2}contents: read$/m);
    expect(text).not.toMatch(/secrets\.|pull_request_target/);
    for (const [, action] of text.matchAll(/uses: (\S+)/g)) expect(action).toMatch(/^actions\/[a-z-]+@v\d+$/);
  },
);
