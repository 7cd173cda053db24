import { createInbox, type NatsConnection } from '@nats-io/transport-node';

/** The prefix of all subjects of this version of the protocol. */
const PREFIX = 'brezel.v1';

/** The queue group of the servers. NATS sends a request to one server of the group. */
export const QUEUE = 'brezel';

/** The headers of messages. The names are part of the protocol. */
export const Header = {
  /** The id of a request. All attempts of the request have the same id. */
  id: 'Brezel-Id',
  /** The milliseconds that are left for the request when the message is sent. */
  deadline: 'Brezel-Deadline-Ms',
  /** The purpose of a message about a request: `status` or `cancel`. */
  control: 'Brezel-Control',
} as const;

/** The subject of the predictions of a model. The servers subscribe to it as a queue group. */
export const predictSubject = (model: string): string => `${PREFIX}.predict.${tokenOf(model)}`;

/** The subject of messages about requests in flight. Every server of the model receives them. */
export const controlSubject = (model: string): string => `${PREFIX}.control.${tokenOf(model)}`;

/**
 * Returns the name of a model as one token of a subject. Letters, digits, `-` and `_` represent
 * themselves. `=` and four hexadecimal digits represent any other UTF-16 unit. Different names have
 * different tokens.
 */
export const tokenOf = (model: string): string =>
  model.replace(/[^\w-]/g, (unit) => `=${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The subject of the reports of servers that load placed models. */
export const SERVERS = `${PREFIX}.servers`;

/** The subject on which a client or a server asks all servers for a report. */
export const SERVERS_ASK = `${PREFIX}.servers-ask`;

/** Returns a new subject for answers, with the prefix that the connection uses. */
export function inboxOf(connection: NatsConnection): string {
  const { options } = connection as { options?: { inboxPrefix?: string } };
  return createInbox(options?.inboxPrefix);
}
