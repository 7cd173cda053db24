import { describe, expect, it } from 'vitest';
import { readPages, slugOf } from '../docs/site/read-pages.mjs';

describe('the pages of the documentation site', () => {
  const { pages, sidebar, errors } = readPages();

  it('are all Markdown files of docs, and their links and headings exist', () => {
    expect(errors).toEqual([]);
    expect(pages.size).toBeGreaterThan(40);
  });

  it('start with the getting-started guide and end with the decisions', () => {
    const links = sidebar.flatMap(({ items }) => items.map(({ link }) => link));
    expect(links.slice(0, 2)).toEqual(['/', '/guides/getting-started']);
    expect(links.at(-1)).toMatch(/^\/adr\//);
  });

  it('link to paths of the site', () => {
    expect(pages.get('guides/deployment.md')).toContain('](../prom-client.md)');
    expect(pages.get('index.md')).toContain('src="./evaluation.svg"');
  });

  it('have the anchors of GitHub', () => {
    expect(slugOf('Measure: latencies, `stats()`, event-loop lag')).toBe('measure-latencies-stats-event-loop-lag');
  });
});

describe('a dead link', () => {
  const page = ['[a](missing.md) [b](serving.md#nothing) `[c](code.md)` [d](#here)', '', '## Here', ''].join('\n');

  it('is reported with its page', () => {
    const { errors } = readPages({ read: (file, read) => (file === 'docs/glossary.md' ? page : read(file)) });
    expect(errors.filter((error) => error.startsWith('docs/glossary.md'))).toEqual([
      'docs/glossary.md links to missing.md: the site has no such page',
      'docs/glossary.md links to serving.md#nothing: docs/serving.md has no such heading',
    ]);
  });
});
