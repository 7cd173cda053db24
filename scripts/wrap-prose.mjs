// node scripts/wrap-prose.mjs PATH...: wraps comments and Markdown at 100 columns. It changes only
// paragraphs with a wider line. Tables, code, examples and comments after code stay unchanged. With
// --changed instead of paths, it wraps the files that differ from the last commit.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WIDTH } from './prose-rules.mjs';

/**
 * Wraps words into lines of at most WIDTH columns. The first line starts with `first`, and the
 * other lines start with `rest`.
 */
export function wrapped(text, first, rest) {
  const lines = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(/\s+/).filter((word) => word !== '')) {
    if (!isEmpty && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = rest;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}

/**
 * Wraps the paragraphs that have a line wider than WIDTH. `parts` returns the prefix of a line, its
 * text, and the prefix of the paragraph's next lines, or undefined for a line that must not be
 * wrapped.
 */
function wrapParagraphs(lines, parts) {
  const out = [];
  for (let index = 0; index < lines.length; ) {
    const first = parts(lines[index], index);
    if (first === undefined) {
      out.push(lines[index++]);
      continue;
    }
    const texts = [first.text];
    let end = index + 1;
    for (; end < lines.length; end++) {
      const next = parts(lines[end], end);
      if (next === undefined || next.isStart || next.prefix !== first.rest) break;
      texts.push(next.text);
    }
    const given = lines.slice(index, end);
    out.push(
      ...(given.some((line) => line.length > WIDTH) ? wrapped(texts.join(' '), first.prefix, first.rest) : given),
    );
    index = end;
  }
  return out;
}

export function wrapComments(source) {
  const opened = source.replace(/^( *)\/\*\* (.*) \*\/$/gm, (line, indent, text) =>
    line.length > WIDTH ? `${indent}/**\n${indent} * ${text}\n${indent} */` : line,
  );
  let isExample = false;
  return wrapParagraphs(opened.split('\n'), (line) => {
    const match = /^( *(?:\/\/|\*) )(\S.*)$/.exec(line);
    if (match === null || line.includes('*/')) {
      isExample = false;
      return undefined;
    }
    const [, prefix, text] = match;
    if (text.startsWith('@')) isExample = text.startsWith('@example');
    const isFixed = isExample || / {2}|^\||^#|^biome-ignore|^@ts-|^[-*] /.test(text);
    return isFixed ? undefined : { prefix, rest: prefix, text, isStart: text.startsWith('@') };
  }).join('\n');
}

export function wrapMarkdown(source) {
  let isFenced = false;
  let releases = 0;
  return wrapParagraphs(source.split('\n'), (line) => {
    if (/^\s*```/.test(line)) isFenced = !isFenced;
    if (source.startsWith('# Changelog') && line.startsWith('## ')) releases++;
    if (isFenced || releases > 1 || /^\s*(?:```|\||#|<|!\[)|^\s*$| {2}$/.test(line)) return undefined;
    const [, indent, mark, text] = /^( *)((?:[-*+]|\d+\.) +)?(.*)$/.exec(line);
    return {
      prefix: indent + (mark ?? ''),
      rest: indent + ' '.repeat(mark?.length ?? 0),
      text,
      isStart: mark !== undefined,
    };
  }).join('\n');
}

const SKIPPED = new Set(['node_modules', 'dist', 'build', 'generated', 'skeletons']);

function files(path) {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { withFileTypes: true }).flatMap(({ name }) =>
    SKIPPED.has(name) ? [] : files(join(path, name)),
  );
}

/**
 * Returns the files that differ from the last commit, and the new files that git does not ignore.
 */
export function changedFiles(folder) {
  const git = (...command) => execFileSync('git', command, { cwd: folder, encoding: 'utf8' }).split('\0');
  const names = [
    ...git('diff', '-z', '--name-only', '--diff-filter=d', '--relative', 'HEAD'),
    ...git('ls-files', '-z', '--others', '--exclude-standard'),
  ];
  return names.filter((name) => name !== '' && !name.split('/').some((part) => SKIPPED.has(part)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const given = process.argv.slice(2);
  const chosen = given[0] === '--changed' ? changedFiles(root).map((name) => join(root, name)) : given.flatMap(files);
  for (const file of chosen) {
    if (!/\.(?:md|[cm]?[jt]s|hpp|cpp|h)$/.test(file)) continue;
    const source = readFileSync(file, 'utf8');
    const text = file.endsWith('.md') ? wrapMarkdown(source) : wrapComments(source);
    if (text !== source) writeFileSync(file, text);
  }
}
