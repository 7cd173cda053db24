// npm run example -- NAME [ARGUMENT...]: runs examples/NAME. `npm run build:ts` must have built it.
import { readdirSync } from 'node:fs';

const folder = new URL('../examples/', import.meta.url);
const sources = readdirSync(folder, { recursive: true }).map((path) => path.replaceAll('\\', '/'));
const names = sources.filter((path) => /^[^/]+\/main\.ts$/.test(path)).map((path) => path.split('/')[0]);

const [name, ...rest] = process.argv.slice(2);
if (names.includes(name)) {
  const main = new URL(`dist/${name}/main.js`, folder);
  process.argv = [process.argv[0], main.pathname, ...rest];
  await import(main.href);
} else {
  const problem = name === undefined ? 'Which example?' : `There is no example "${name}".`;
  console.error(`${problem} npm run example -- NAME, where NAME is one of: ${names.join(', ')}`);
  process.exitCode = 2;
}
