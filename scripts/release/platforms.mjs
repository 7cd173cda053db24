// The platforms for which an addon is published, each as an optional dependency of @brezel/native:
// npm installs the one that fits. An addon is built on its platform
// (`.github/workflows/release.yml`); native/index.cjs looks for these names.

/** What npm compares with the machine that installs. */
export const platforms = {
  'linux-x64': { os: ['linux'], cpu: ['x64'], libc: ['glibc'] },
  'linux-x64-musl': { os: ['linux'], cpu: ['x64'], libc: ['musl'] },
  'linux-arm64': { os: ['linux'], cpu: ['arm64'], libc: ['glibc'] },
  'darwin-arm64': { os: ['darwin'], cpu: ['arm64'] },
};

/** This machine's name in `platforms`, whether it stands there or not. */
export function currentPlatform() {
  const isMusl = process.platform === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined;
  return `${process.platform}-${process.arch}${isMusl ? '-musl' : ''}`;
}

export const packageOf = (platform) => `@brezel/native-${platform}`;
