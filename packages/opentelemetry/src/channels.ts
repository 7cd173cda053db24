import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { PredictionMessage } from 'brezel';

export type Step = 'queued' | 'start' | 'end' | 'error';

/**
 * Subscribes to the messages that runtimes in this thread publish about each prediction (`start`,
 * `end`, ...). Returns a function that unsubscribes.
 */
export function listen(listeners: Partial<Record<Step, (message: PredictionMessage) => void>>): () => void {
  const subscribed = Object.entries(listeners).map(([step, listener]) => {
    const name = `brezel:predict:${step}`;
    const onMessage = (message: unknown) => listener(message as PredictionMessage);
    subscribe(name, onMessage);
    return () => void unsubscribe(name, onMessage);
  });
  return () => {
    for (const end of subscribed) end();
  };
}

/** Returns the attributes of a prediction that spans and histograms contain. */
export const attributesOf = ({ plan, verb, choice }: PredictionMessage) => ({
  'brezel.plan': plan,
  'brezel.verb': verb,
  'brezel.engine': choice?.engine ?? (verb === 'predictStream' ? 'batch' : 'request-response'),
});

/** Returns the error code of Brezel or Node. For other errors, returns the name of the error. */
export function errorType(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (typeof code === 'string') return code;
  return typeof name === 'string' ? name : '_OTHER';
}
