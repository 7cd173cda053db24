import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findings } from './check-prose.mjs';
import { changedFiles, wrapComments, wrapMarkdown } from './wrap-prose.mjs';

const told = `to${'ld'}`;

describe('findings', () => {
  test.each([
    ['a.ts', `// it is ${told}`],
    ['a.ts', `const a = 'x'; // it is ${told}`],
    ['a.ts', `/**\n * It is ${told}.\n */`],
    ['a.hpp', `/* it is ${told} */`],
    ['a.md', `It is ${told}.`],
    ['a.ts', `// ${'long '.repeat(20)}`],
  ])('in %s: %s', (path, source) => expect(findings(path, source)).toHaveLength(1));

  test.each([
    ['a.ts', `const a = '${told}';`],
    ['a.ts', `const a = "// ${told}";`],
    ['a.ts', `const a = \`\${b('//')} // ${told}\`;`],
    ['a.ts', `const a = /'[/]/; const b = '// ${told}';`],
    ['a.ts', `const a = 1 / 2; const b = '${told}';`],
    ['a.ts', `// the name \`${told}\``],
    ['a.mjs', `const a = /** @type {number} */ (${'b + '.repeat(30)} 1);`],
    ['a.md', `\`\`\`\nIt is ${told}.\n\`\`\``],
    ['a.md', `| ${'wide '.repeat(30)} |`],
    ['CHANGELOG.md', `# Changelog\n\n## Unreleased\n\n## 1.0\n\nIt is ${told}.`],
  ])('none in %s: %s', (path, source) => expect(findings(path, source)).toEqual([]));

  test('name the line and the words to write', () => {
    expect(findings('a.ts', `const a = 1;\n// it is ${told}`)).toEqual([expect.stringMatching(/^2: "told" \(.+\)$/)]);
  });
});

describe('wrapping', () => {
  const long = 'word '.repeat(30).trim();

  test('wraps a comment with a wide line, and leaves examples, tables and narrow comments', () => {
    const lines = wrapComments(`// ${long}\n// more\nlet a;\n// short\n// lines`).split('\n');
    expect(lines.every((line: string) => line.length <= 100)).toBe(true);
    expect(lines.slice(-3)).toEqual(['let a;', '// short', '// lines']);
    expect(lines.slice(0, -3).join(' ').replaceAll('// ', '')).toBe(`${long} more`);
    const example = `/**\n * @example ${long}\n */`;
    expect(wrapComments(example)).toBe(example);
  });

  test('opens a one-line comment', () => {
    expect(wrapComments(`  /** ${long} */`)).toMatch(/^ {2}\/\*\*\n {3}\* word.*\n {3}\* word.*\n {3}\*\/$/);
  });

  test('indents list items of Markdown', () => {
    const lines = wrapMarkdown(`- ${long}\n- b`).split('\n');
    expect(lines[1]).toMatch(/^ {2}word/);
    expect(lines.at(-1)).toBe('- b');
  });

  test('finds changed and new files, without ignored, deleted and generated files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'wrap-'));
    const git = (...command: string[]) => execFileSync('git', command, { cwd: folder, encoding: 'utf8' });
    const write = (names: readonly string[], text: string) => {
      for (const name of names) writeFileSync(join(folder, name), text);
    };
    mkdirSync(join(folder, 'generated'));
    write(['same.md', 'changed file.md', 'deleted.md', 'generated/a.ts'], 'old');
    writeFileSync(join(folder, '.gitignore'), 'ignored.md');
    git('init', '-q');
    git('add', '.');
    git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-q', '-m', 'first');
    write(['changed file.md', 'generated/a.ts', 'new.md', 'ignored.md'], 'new');
    rmSync(join(folder, 'deleted.md'));
    expect(changedFiles(folder).sort()).toEqual(['changed file.md', 'new.md']);
  });
});
