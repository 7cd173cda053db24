/**
 * The version of this package. It is a constant, because the published CommonJS bundle cannot find
 * its package.json. A test compares both.
 */
export const VERSION = '0.1.0';
