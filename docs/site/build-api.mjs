// Writes the API reference from the declarations that npm installs. `npm run check` rejects an
// export without a docstring (scripts/check-docstrings.mjs).
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Application, LogLevel } from 'typedoc';
import { publicModules as modules } from '../../scripts/check-docstrings.mjs';
import { writeDeclarations } from '../../scripts/release/declarations.mjs';

const folder = fileURLToPath(new URL('build/api', import.meta.url));
const types = join(folder, 'types');

/** Matches the root of each entry point, in the folder of all declarations. */
const declarationOf = (file) => file.replace(/^packages\/([\w-]+)\/dist\//, './types/$1/').replace(/\.d\.ts$/, '.js');

/** @param {string} out the folder of the HTML pages @param {string} home the URL of the site */
export async function buildApi(out, home) {
  writeDeclarations(types, Object.values(modules));
  write('package.json', JSON.stringify({ name: 'brezel', version: '0.0.0', type: 'module' }));
  write('tsconfig.json', JSON.stringify({ compilerOptions, files: entries }));
  for (const [index, [name, file]] of Object.entries(modules).entries())
    write(entries[index], `/** @module ${name} */\nexport * from '${declarationOf(file)}';\n`);

  const app = await Application.bootstrap({
    name: 'Brezel API',
    entryPoints: entries.map((file) => join(folder, file)),
    tsconfig: join(folder, 'tsconfig.json'),
    logLevel: LogLevel.Warn,
    readme: 'none',
    disableSources: true,
    excludePrivate: true,
    includeVersion: false,
    disableGit: true,
    hideGenerator: true,
    titleLink: home,
    navigationLinks: { Documentation: home },
    validation: { notExported: false, invalidLink: true, notDocumented: false },
  });
  const project = await app.convert();
  if (project !== undefined) app.validate(project);
  if (project === undefined || app.logger.hasErrors() || app.logger.hasWarnings())
    throw new Error('the API reference has the errors above');
  await app.generateDocs(project, out);
}

const entries = Object.keys(modules).map((name) => `${name.replaceAll(/\W+/g, '-')}.d.ts`);

const compilerOptions = {
  target: 'es2023',
  lib: ['es2023', 'esnext.disposable'],
  module: 'nodenext',
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  types: ['node'],
  paths: { brezel: ['./types/brezel/index.d.ts'] },
};

function write(name, text) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), text);
}
