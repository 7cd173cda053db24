// Reads the fields of parsed JSON, whose types are unknown.
import { wrongRequest } from './request.js';

/** A parsed JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/**
 * Returns a value that must be an object.
 * @throws a ProtocolError of kind REQUEST
 */
export function objectAt(value: unknown, at: string): Json {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Json;
  throw wrongRequest('an object', value, at);
}

/**
 * Returns a value that must be a list.
 * @throws a ProtocolError of kind REQUEST
 */
export function listAt(value: unknown, at: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw wrongRequest('a list', value, at);
}

/**
 * Returns the field `parameters` of an object. The field is optional.
 * @throws a ProtocolError of kind REQUEST
 */
export function parametersAt({ parameters }: Json, at: string): Json {
  return parameters === undefined ? {} : objectAt(parameters, `parameters of ${at}`);
}

/**
 * Returns the field `name` of an object.
 * @throws a ProtocolError of kind REQUEST
 */
export function nameAt({ name }: Json, at: string): string {
  if (typeof name === 'string') return name;
  throw wrongRequest('a text', name, `${at}.name`);
}
