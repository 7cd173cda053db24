import { type Exception, type Span, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import type { PredictionMessage, PredictionVerb, Runtime } from 'brezel';
import { attributesOf, errorType, listen } from './channels.js';

const NANOSECOND = 1e-9;

/**
 * Records one span for each call of the given verbs. The span starts when the call is made. Its
 * parent is therefore the caller's span, even if the rows run in a later turn of the event loop.
 * Returns a function that stops recording.
 */
export function recordSpans(runtime: Runtime, tracer: Tracer, verbs: ReadonlySet<PredictionVerb>): () => void {
  const open = new Map<PredictionMessage, Span>();

  const begin = (message: PredictionMessage): Span | undefined => {
    const known = open.get(message);
    if (known !== undefined) return known; // even if the plan was released meanwhile
    if (!verbs.has(message.verb) || !runtime.has(message.registered)) return undefined;
    const attributes = { ...attributesOf(message), 'brezel.rows': message.rows, ...reasonOf(message) };
    const span = tracer.startSpan(`${message.verb} ${message.plan}`, { kind: SpanKind.INTERNAL, attributes });
    open.set(message, span);
    return span;
  };
  const end = (message: PredictionMessage) => {
    const span = begin(message); // a row that is rejected immediately has no earlier message
    if (span === undefined) return;
    const { queuedNanoseconds } = message;
    if (queuedNanoseconds !== undefined) span.setAttribute('brezel.queued', queuedNanoseconds * NANOSECOND);
    span.end();
    open.delete(message);
  };

  const stop = listen({
    queued: (message) => void begin(message)?.addEvent('queued'),
    start: (message) => void begin(message)?.addEvent('start').setAttribute('brezel.where', message.where!),
    end,
    error: (message) => {
      const span = begin(message);
      span?.recordException(message.error as Exception);
      span?.setAttribute('error.type', errorType(message.error));
      span?.setStatus({ code: SpanStatusCode.ERROR, message: messageOf(message.error) });
      end(message);
    },
  });
  return () => {
    stop();
    for (const span of open.values()) span.end();
    open.clear();
  };
}

const reasonOf = ({ choice }: PredictionMessage) => choice && { 'brezel.engine.reason': choice.reason };

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
