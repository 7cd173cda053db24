/** Whether this code is in a bundle. The build for bundlers replaces this module. */
export const isBundled: boolean = false;
