/** True in a bundle: the build for bundlers replaces this module. */
export const isBundled: boolean = false;
