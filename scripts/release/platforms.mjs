// The platforms for which an addon is published. Each addon is an optional dependency of `brezel`,
// and npm installs the addon of the machine. An addon is built on its platform
// (`.github/workflows/release.yml`); native/index.cjs searches for these names.

import loader from '../../native/load-addon.cjs';

/** For each platform, the fields that npm compares with the machine. */
export const platforms = {
  'linux-x64': { os: ['linux'], cpu: ['x64'], libc: ['glibc'] },
  'linux-x64-musl': { os: ['linux'], cpu: ['x64'], libc: ['musl'] },
  'linux-arm64': { os: ['linux'], cpu: ['arm64'], libc: ['glibc'] },
  'darwin-arm64': { os: ['darwin'], cpu: ['arm64'] },
};

/** Returns this machine's name in `platforms`, even if `platforms` does not contain it. */
export const currentPlatform = loader.platformName;

export const packageOf = (platform) => `@brezel/native-${platform}`;
