import type { CustomOperator, OwnedPlan } from 'brezel';

/** A plan whose rows and answers have any type. Tests pass rows of wrong types on purpose. */
// biome-ignore lint/suspicious/noExplicitAny: accepts the rows and answers of every plan
export type UntypedPlan = OwnedPlan<any, any>;

/** A custom operator from a JavaScript module: it reads a text and has no attributes. */
export type TextOperator = CustomOperator<readonly ['text'], 'float32', Record<never, never>, Record<never, never>>;
