/**
 * The version of this package. It is a constant, because the published CommonJS bundle cannot read
 * its package.json. A test compares both versions.
 */
export const VERSION = '0.1.0';
