const ROLE = 'BREZEL_SERVE_ROLE';

/**
 * The role of a process of `brezel serve --processes`. The primary starts all other processes with
 * its own command line, and names their role in an environment variable.
 */
export type Role = 'primary' | 'worker' | 'packer';

/** Returns the role of this process. A process without a parent is the primary. */
export function ownRole(): Role {
  const role = process.env[ROLE];
  return process.connected && (role === 'worker' || role === 'packer') ? role : 'primary';
}

/** Returns the environment of a process with another role. */
export const roleEnvironment = (role: Role): NodeJS.ProcessEnv => ({ ...process.env, [ROLE]: role });
