/**
 * The operands between which `where` chooses. Flows, parameters and kernel attributes have this
 * order.
 */
export const choices = ['yes', 'no'] as const;
