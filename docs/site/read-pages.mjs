// Reads the Markdown of the repository as pages of the site. A link to a missing file, a missing
// heading, or a file that is not a page is an error.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { groups } from './pages.mjs';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Matches code first, so that links inside code stay unchanged. */
const CODE = /^( *)(```|~~~)[^\n]*\n[\s\S]*?^\1\2 *$|`[^`\n]+`/gm;
const LINK = /(\]\(|\bsrc="|\bhref=")([^)"\s]+)([)"])/g;

/**
 * Reads all pages.
 *
 * @param {{ read?: (file: string, read: (file: string) => string) => string }} options `read`
 * returns the text of a file; tests replace it
 * @returns {{ pages: Map<string, string>, assets: Map<string, string>, sidebar: { items: { text:
 * string, link: string }[] }[], errors: string[] }} the Markdown of each page by its path on the
 * site, the files that pages show by their path on the site, the sidebar of VitePress, and one line
 * for each dead link
 */
export function readPages({ read = (file, readFile) => readFile(file) } = {}) {
  const textOf = (file) => read(file, readText);
  const sections = groups.map(({ folder, pages, ...group }) => ({ ...group, pages: pages ?? pagesOf(folder, textOf) }));
  const listed = sections.flatMap(({ pages }) => pages);
  const siteOf = new Map(listed.map(([file, path]) => [file, path]));
  const site = { pages: new Map(), assets: new Map(), errors: [], textOf };
  for (const file of markdownOf('docs'))
    if (!siteOf.has(file)) site.errors.push(`${file} has no entry in docs/site/pages.mjs`);
  for (const [file, path] of siteOf) {
    if (existsSync(join(root, file))) site.pages.set(path, withLinks(file, siteOf, site));
    else site.errors.push(`docs/site/pages.mjs lists ${file}, which does not exist`);
  }
  const sidebar = sections.map(({ pages, ...group }) => ({
    ...group,
    items: pages.map(([, path, text]) => ({ text, link: `/${path.replace(/(index)?\.md$/, '')}` })),
  }));
  return { pages: site.pages, assets: site.assets, errors: site.errors, sidebar };
}

/** Returns the pages of a folder. The README is the first page, and headings are the texts. */
function pagesOf({ from, to }, textOf) {
  const files = markdownOf(from).sort(
    (one, other) => Number(other.endsWith('README.md')) - Number(one.endsWith('README.md')),
  );
  return files.map((file) => {
    const name = posix.basename(file).replace('README', 'index');
    const title = /^# (.*)$/m.exec(textOf(file))?.[1] ?? name;
    return [file, `${to}/${name}`, title];
  });
}

/** Returns the Markdown files below a folder that the repository contains. */
function markdownOf(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return path === 'docs/site' ? [] : markdownOf(path);
      return path.endsWith('.md') ? [path] : [];
    })
    .sort();
}

/** Returns the Markdown of a page with the links of the site. */
function withLinks(file, siteOf, site) {
  const from = siteOf.get(file);
  const link = (all, before, target, after) => {
    if (/^[a-z]+:/i.test(target)) return all;
    const [path, anchor] = target.split('#');
    const found = path === '' ? file : fileOf(posix.join(posix.dirname(file), path));
    const to = siteOf.get(found) ?? assetOf(found, site);
    if (to === undefined) site.errors.push(`${file} links to ${target}: the site has no such page`);
    else if (anchor !== undefined && !headingsIn(site.textOf(found)).has(anchor))
      site.errors.push(`${file} links to ${target}: ${found} has no such heading`);
    const relative = to === undefined ? target : posix.relative(posix.dirname(from), to);
    const url = path === '' ? '' : relative.startsWith('.') ? relative : `./${relative}`;
    return `${before}${url}${anchor === undefined ? '' : `#${anchor}`}${after}`;
  };
  return outsideCode(site.textOf(file), (text) => text.replace(LINK, link));
}

/** Returns the file of a link. The page of a folder is its README. */
function fileOf(path) {
  const file = path.replace(/\/$/, '');
  const isFolder = existsSync(join(root, file)) && statSync(join(root, file)).isDirectory();
  return isFolder ? `${file}/README.md` : file;
}

/**
 * Returns the path of a picture or a download on the site, and adds the file to the site. VitePress
 * copies the folder `public` without changes.
 */
function assetOf(file, site) {
  if (!/\.(svg|png|py)$/.test(file) || !existsSync(join(root, file))) return undefined;
  const isDownload = file.endsWith('.py');
  const to = isDownload ? posix.basename(file) : file.replace(/^docs\//, '');
  site.assets.set(isDownload ? `public/${to}` : to, file);
  return to;
}

/** Returns the anchors of a page. */
function headingsIn(markdown) {
  const anchors = new Set();
  const text = markdown.replace(/^( *)(```|~~~)[^\n]*\n[\s\S]*?^\1\2 *$/gm, '');
  for (const [, heading] of text.matchAll(/^#+ +(.*)$/gm)) {
    const anchor = slugOf(heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
    let name = anchor;
    for (let count = 1; anchors.has(name); count++) name = `${anchor}-${count}`;
    anchors.add(name);
  }
  return anchors;
}

/** Returns the anchor of a heading, as GitHub writes it, so that links work in both places. */
export const slugOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

function outsideCode(text, change) {
  let [result, from] = ['', 0];
  for (const match of text.matchAll(CODE)) {
    result += change(text.slice(from, match.index)) + match[0];
    from = match.index + match[0].length;
  }
  return result + change(text.slice(from));
}

const readText = (file) => readFileSync(join(root, file), 'utf8');
