import { cliError } from './errors.js';

/**
 * Loads a package that only a command needs. `brezel` does not depend on it, so that users of the
 * library do not install it.
 *
 * @throws an error with the given code if the package is not installed.
 */
export async function optionalPackage<Module>(
  name: string,
  load: () => Promise<Module>,
  code: 'ERR_CLI_SERVER' | 'ERR_CLI_GRPC' | 'ERR_CLI_NATS' | 'ERR_CLI_SELECTION',
): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    const { code: reason, message } = cause as NodeJS.ErrnoException;
    const isMissing = reason === 'ERR_MODULE_NOT_FOUND' || reason === 'MODULE_NOT_FOUND';
    // The package may be installed without a package that it needs itself.
    if (isMissing && message.includes(`'${name}'`)) throw cliError(code, { cause });
    throw cause;
  }
}
