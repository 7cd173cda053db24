/**
 * What to do with learned parameters that contain NaN or a meaningless infinity: `refuse` rejects
 * the model, `allow` loads it unchanged.
 */
export const nonFiniteChoices = ['refuse', 'allow'] as const;
/**
 * Whether to `refuse` or to `allow` learned parameters that contain NaN or a meaningless infinity.
 */
export type NonFiniteChoice = (typeof nonFiniteChoices)[number];
