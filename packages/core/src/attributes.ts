/**
 * The value of one attribute of an operator. Attributes are plain data, so that a program can be
 * printed, hashed and stored.
 */
export type AttributeValue = string | number | boolean | null | readonly AttributeValue[];
export type Attributes = Readonly<Record<string, AttributeValue>>;
