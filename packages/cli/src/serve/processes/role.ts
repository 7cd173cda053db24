const ROLE = 'BREZEL_SERVE_ROLE';

/**
 * The role of a process of `brezel serve --processes`. The primary starts all other processes with
 * its own command line, and names their role in an environment variable.
 */
export type Role = 'primary' | 'worker' | 'packer';

/**
 * Returns the role of this process. If the process is a worker or a packer and its primary has
 * ended, ends the process. Otherwise it would run forever.
 */
export function ownRole({ env, connected, exit }: Pick<NodeJS.Process, 'env' | 'connected' | 'exit'> = process): Role {
  const role = env[ROLE];
  delete env[ROLE]; // a child of this process chooses its own role
  if (role !== 'worker' && role !== 'packer') return 'primary';
  if (!connected) exit(1);
  return role;
}

/** Returns the environment variables for a new process with a role. */
export const roleEnvironment = (role: Role): NodeJS.ProcessEnv => ({ ...process.env, [ROLE]: role });
