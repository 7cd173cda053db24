import { fileURLToPath } from 'node:url';
import { installTools } from '../../../../scripts/install-tools.mjs';

/**
 * Installs the packages of a folder beside this file, unless they are installed.
 *
 * @returns the folder `node_modules`, or undefined with a printed reason
 */
export function installedTools(name: string): string | undefined {
  try {
    return installTools(fileURLToPath(new URL(name, import.meta.url)));
  } catch (error) {
    console.log(`skipped: npm cannot install packages/brezel/test/release/${name}: ${(error as Error).message}`);
    return undefined;
  }
}
