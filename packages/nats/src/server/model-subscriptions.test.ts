import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { ModelSubscriptions } from './model-subscriptions.js';

test('an error of a subscription is logged, and the listeners of the registry stay', async () => {
  const names = ['a'];
  const registry = Object.assign(new EventEmitter(), { names: () => names });
  const subjects: string[] = [];
  let failure: Error | undefined = new Error('draining');
  const connection = {
    isClosed: () => false,
    isDraining: () => false,
    subscribe(subject: string) {
      if (failure !== undefined) throw failure;
      subjects.push(subject);
      return { drain: async () => {} };
    },
  };
  const logged: unknown[] = [];
  const handler = { request() {}, control() {}, async idle() {} };
  const log = (error: unknown) => void logged.push(error);
  const subscriptions = new ModelSubscriptions(registry as never, connection as never, handler, log);
  expect(() => subscriptions.follow()).toThrow(failure);
  expect(() => registry.emit('added')).not.toThrow();
  expect([logged, subscriptions.models]).toEqual([[failure], []]);
  failure = undefined;
  registry.emit('added');
  subscriptions.follow();
  expect(subjects).toEqual(['brezel.v1.predict.a', 'brezel.v1.control.a']);
  expect([registry.listenerCount('added'), registry.listenerCount('removed')]).toEqual([1, 1]);
  await subscriptions.close();
  expect([registry.listenerCount('added'), registry.listenerCount('removed')]).toEqual([0, 0]);
});
