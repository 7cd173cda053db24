import { defineConfig } from 'vitepress';
import { readPages, slugOf } from '../read-pages.mjs';

// Links to these files are downloads, not pages.
process.env.VITE_EXTRA_EXTENSIONS = 'py';

const { sidebar } = readPages();

export default defineConfig({
  title: 'Brezel',
  description: 'Trained ML pipelines inside your Node.js service',
  lang: 'en-US',
  base: process.env.BREZEL_DOCS_BASE ?? '/',
  srcDir: 'build/pages',
  outDir: 'build/site',
  cacheDir: 'build/cache',
  metaChunk: true,
  markdown: { anchor: { slugify: slugOf } },
  themeConfig: {
    sidebar,
    outline: { level: [2, 3] },
    search: { provider: 'local' },
    nav: [
      { text: 'Getting started', link: '/guides/getting-started' },
      { text: 'Operators', link: '/operators' },
      { text: 'API', link: '/api/', target: '_self' },
      { text: 'Errors', link: '/errors' },
    ],
  },
});
