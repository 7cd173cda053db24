import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exportsOf } from './check-docstrings.mjs';

test('follows re-exports to the declaration, and finds an export without a docstring', () => {
  const folder = mkdtempSync(join(tmpdir(), 'docstrings-'));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write(
    'index.d.ts',
    "export { documented, bare as renamed } from './values.js';\nexport * from './types.js';\nexport type { Other } from 'another-package';\n",
  );
  write(
    'values.d.ts',
    "/** Says hello. */\nexport declare const documented: string;\nexport declare function bare(a: string): void;\nexport { Local } from './types.js';\n",
  );
  write(
    'types.d.ts',
    'export interface Bare {\n    /** A field. */\n    readonly field: number;\n}\n/**\n * A type of two lines.\n * The second line.\n */\ntype Local = string;\nexport { type Local };\n',
  );
  expect(Object.fromEntries(exportsOf(join(folder, 'index.d.ts')))).toEqual({
    documented: true,
    renamed: false,
    Bare: false,
    Local: true,
    Other: true,
  });
});
