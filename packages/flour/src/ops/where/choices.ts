/** The two choices, in the order of flows, parameters and the kernel's attributes. */
export const choices = ['yes', 'no'] as const;
