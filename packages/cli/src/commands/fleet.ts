import type { Catalog, CatalogModel } from '@brezel/nats';
import { type Command, InvalidArgumentError } from 'commander';
import { cliError } from '../errors.js';
import { writeStandardOutput } from '../files.js';
import { loadNats } from '../serve/load-server.js';
import { integerFrom, parseAddresses } from '../serve/options.js';
import { placementText } from '../text/placement-text.js';
import { columns, printable, printBytes } from '../text/table.js';

const help = `
The servers that run brezel serve --join ADDRESS --catalog load the models of the catalog. The catalog
and the files are in NATS with JetStream: nats-server -js -sd FOLDER.
  $ brezel pack models/*.onnx -o models.brezel
  $ brezel fleet push nats://nats.internal:4222 models.brezel
  $ brezel fleet canary nats://nats.internal:4222 sentiment 2 --percent 10
  $ brezel fleet promote nats://nats.internal:4222 sentiment 2
  $ brezel fleet scale nats://nats.internal:4222 sentiment 2
  $ brezel fleet placement nats://nats.internal:4222 sentiment

The credentials are in the environment: NATS_CREDS is the path of a credentials file. Or use NATS_TOKEN,
or NATS_USER with NATS_PASSWORD. Needs @brezel/nats.`;

const ADDRESS = ['<address>', 'nats://HOST:PORT, with commas between several addresses'] as const;
const MODEL = ['<model>', 'NAME:ALIAS, or NAME for the alias default'] as const;

/** Adds `brezel fleet`, which changes the models of a cluster. */
export function addFleet(program: Command): void {
  const fleet = program
    .command('fleet')
    .summary('list and change the models of a cluster on NATS')
    .description('Lists and changes the catalog of a cluster on NATS: models, versions, aliases and canaries.')
    .addHelpText('after', help);
  fleet
    .command('push')
    .description('Stores a fleet file, and adds each of its plans as a version. Aliases do not change.')
    .argument(ADDRESS[0], ADDRESS[1], parseAddresses)
    .argument('<fleet>', 'fleet file: brezel pack writes it')
    .option('--as <version>', 'version of all plans; default: the largest integer version plus one')
    .action((servers: string[], path: string, { as: version }: { as?: string }) =>
      withCatalog(servers, async (catalog) => {
        const pushed = await catalog.push(path, version === undefined ? {} : { version });
        for (const { name, version: added } of pushed) await print(`${printable(name)}@${added}`);
        const { bytes, sentBytes } = pushed[0]!;
        await print(`sent ${printBytes(sentBytes)} of ${printBytes(bytes)}`);
      }),
    );
  fleet
    .command('list')
    .description('Lists the models with their versions and aliases.')
    .argument(ADDRESS[0], ADDRESS[1], parseAddresses)
    .option('--json', 'write JSON')
    .action((servers: string[], { json }: { json?: true }) =>
      withCatalog(servers, async (catalog) => {
        const models = await catalog.list();
        await print(json ? JSON.stringify(models, null, 2) : listText(models));
      }),
    );
  fleet
    .command('promote')
    .description('Points an alias to a version, and ends its canary. Each server loads the version before.')
    .argument(ADDRESS[0], ADDRESS[1], parseAddresses)
    .argument(...MODEL)
    .argument('<version>', 'version of the model')
    .action((servers: string[], model: string, version: string) =>
      withCatalog(servers, async (catalog) => print(modelText(await catalog.promote(model, version)))),
    );
  fleet
    .command('canary')
    .description('Sends a share of the requests of an alias to another version.')
    .argument(ADDRESS[0], ADDRESS[1], parseAddresses)
    .argument(...MODEL)
    .argument('<version>', 'version that gets the share')
    .requiredOption('--percent <number>', 'share of the requests, from 0 to 100', parsePercent)
    .action((servers: string[], model: string, to: string, { percent }: { percent: number }) =>
      withCatalog(servers, async (catalog) => print(modelText(await catalog.canary(model, { to, percent })))),
    );
  fleet
    .command('rollback')
    .description('Undoes the last change of an alias: a promote, or a canary.')
    .argument(ADDRESS[0], ADDRESS[1], parseAddresses)
    .argument(...MODEL)
    .action((servers: string[], model: string) =>
      withCatalog(servers, async (catalog) => print(modelText(await catalog.rollback(model)))),
    );
  fleet
    .command('scale')
    .description('Sets the number of servers that load a model. Servers place models if they have --memory.')
    .argument(ADDRESS[0], ADDRESS[1], parseAddresses)
    .argument('<model>', 'name of the model')
    .argument('<replicas>', 'number of servers', integerFrom(1, 1000))
    .action((servers: string[], model: string, replicas: number) =>
      withCatalog(servers, async (catalog) => {
        const scaled = await catalog.scale(model, replicas);
        await print(`${modelText(scaled)}, ${replicas} ${replicas === 1 ? 'replica' : 'replicas'}`);
      }),
    );
  fleet
    .command('placement')
    .description('Shows which servers load each model, and why.')
    .argument(ADDRESS[0], ADDRESS[1], parseAddresses)
    .argument('[models...]', 'names of models; default: all')
    .option('--json', 'write JSON')
    .action(showPlacement);
  fleet
    .command('remove')
    .description('Removes a version that no alias uses, or a model with all its versions.')
    .argument(ADDRESS[0], ADDRESS[1], parseAddresses)
    .argument('<reference>', 'NAME@VERSION, or NAME for the whole model')
    .action((servers: string[], reference: string) => withCatalog(servers, (catalog) => catalog.remove(reference)));
}

/**
 * Prints which servers load each model, and why.
 *
 * @param names the names of the models. An empty list means all models.
 */
export async function showPlacement(
  servers: readonly string[],
  names: readonly string[],
  { json }: { readonly json?: true },
): Promise<void> {
  await withCatalog(servers, async (catalog) => {
    const all = await catalog.placement();
    const unknown = names.find((name) => !all.models.some((model) => model.name === name));
    if (unknown !== undefined)
      throw cliError('ERR_CLI_USAGE', { expected: 'a model of the catalog', received: JSON.stringify(unknown) });
    const models = names.length === 0 ? all.models : all.models.filter(({ name }) => names.includes(name));
    const report = { ...all, models };
    await print(json ? JSON.stringify(report, null, 2) : placementText(report));
  });
}

function parsePercent(text: string): number {
  const percent = text.trim() === '' ? Number.NaN : Number(text);
  if (percent >= 0 && percent <= 100) return percent;
  throw new InvalidArgumentError('Write a number from 0 to 100.');
}

/** Opens the catalog for one command. */
async function withCatalog(servers: readonly string[], use: (catalog: Catalog) => Promise<void>): Promise<void> {
  const { openCatalog } = await loadNats();
  await using catalog = await openCatalog({ servers });
  await use(catalog);
}

const print = (text: string) => writeStandardOutput(`${text}\n`);

function listText(models: readonly CatalogModel[]): string {
  if (models.length === 0) return 'the catalog has no models';
  const rows = models.map(({ name, versions, aliases }) => [
    printable(name),
    versions.map(({ version }) => version).join(', '),
    aliases.map(aliasText).join(', '),
  ]);
  return columns([['model', 'versions', 'aliases'], ...rows]);
}

const modelText = ({ name, aliases }: CatalogModel): string =>
  `${printable(name)}: ${aliases.map(aliasText).join(', ')}`;

const aliasText = ({ alias, version, canary }: CatalogModel['aliases'][number]): string =>
  `${alias} -> ${version}${canary === undefined ? '' : ` (${canary.percent} % to ${canary.version})`}`;
