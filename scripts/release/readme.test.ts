import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
// @ts-expect-error a script without declarations
import { publishedReadme } from './readme.mjs';

const TEXT =
  'See [the\nlist](docs/a.md#b), [top](#top), [npm](https://www.npmjs.com) and <img src="docs/x.svg" alt="X">.';
const URL_OF_REPOSITORY = 'https://example.org/brezel';

it('makes relative links absolute', () => {
  expect(publishedReadme(TEXT, '', URL_OF_REPOSITORY)).toBe(
    'See [the\nlist](https://example.org/brezel/blob/HEAD/docs/a.md#b), [top](#top), [npm](https://www.npmjs.com) and <img src="https://example.org/brezel/raw/HEAD/docs/x.svg" alt="X">.',
  );
  expect(publishedReadme('[a](../../docs/a.md)', 'packages/x', URL_OF_REPOSITORY)).toBe(
    '[a](https://example.org/brezel/blob/HEAD/docs/a.md)',
  );
});

it('makes relative links text if the repository has no URL', () => {
  expect(publishedReadme(TEXT, '', undefined)).toBe('See the\nlist, [top](#top), [npm](https://www.npmjs.com) and .');
});

it.each(['README.md', 'packages/prom-client/README.md', 'packages/opentelemetry/README.md'])(
  'finds each link of %s',
  (file) => {
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    expect(text).toMatch(/\]\((?!https:|#)/);
    for (const repository of [undefined, URL_OF_REPOSITORY])
      expect(publishedReadme(text, '', repository)).not.toMatch(/\]\((?!https:|#)|src="(?!https:)/);
  },
);
