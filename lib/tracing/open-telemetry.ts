import {
  type Attributes,
  type Context,
  type ContextManager,
  createContextKey,
  defaultTextMapGetter,
  defaultTextMapSetter,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { DatabaseCall } from '@/lib/db/observed-client';
import type { DecisionSpan, ServedRequest, Tracing, UpstreamSpan } from '@/lib/tracing/tracing';

/** Context key of the links of the current group. */
const GROUP = createContextKey('sluice.group');

/** Names of the systems in OpenTelemetry's conventions, by kind of counter store. */
const SYSTEMS: Readonly<Record<string, string>> = { redis: 'redis', embedded: 'sqlite', remote: 'sqlite' };
const LONGEST_STATEMENT = 2_048;
const LONGEST_PATH = 1_024;
const propagator = new W3CTraceContextPropagator();

interface OpenTelemetryOptions {
  tracer: Tracer;
  /** Propagates the active span. It is not the global manager, see `OpenTelemetry`. */
  contexts: ContextManager;
  /** Removes secrets from a text. */
  hide: (text: string) => string;
  close: () => Promise<void>;
}

/** The span of a decision, with its context. */
class OwnDecisionSpan implements DecisionSpan {
  constructor(
    readonly span: Span,
    readonly context: Context,
  ) {}

  end(decisions: Parameters<DecisionSpan['end']>[0]): void {
    if (decisions === null) this.span.setStatus({ code: SpanStatusCode.ERROR });
    const [first] = decisions ?? [];
    if (decisions !== null && decisions.length > 1) {
      const refused = decisions.filter(({ refusal }) => refusal !== null).length;
      this.span.setAttributes({ 'sluice.decisions': decisions.length, 'sluice.refused': refused });
    } else if (first !== undefined) {
      this.span.setAttributes({
        'sluice.class': first.class ?? 'none',
        'sluice.outcome': first.degraded && first.refusal === null ? 'degraded' : first.outcome,
        ...(first.refusal === null ? {} : { 'sluice.reason': first.refusal.error }),
      });
    }
    this.span.end();
  }
}

/**
 * Traces of this process, through the OpenTelemetry API. Nothing is registered globally, so that only code in this
 * module creates spans. Spans of Next would hold the query of each request.
 */
export class OpenTelemetry implements Tracing {
  readonly close: () => Promise<void>;

  constructor(private readonly options: OpenTelemetryOptions) {
    this.close = options.close;
  }

  serve(request: ServedRequest, work: () => void): (status: number) => void {
    const { method, path, route, requestId, address, headers } = request;
    const { tracer, contexts, hide } = this.options;
    const caller = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
    const attributes: Attributes = {
      'http.request.method': method,
      'url.path': hide(path).slice(0, LONGEST_PATH),
      'sluice.route': route,
      'sluice.request_id': requestId,
      ...(address === null ? {} : { 'client.address': address }),
    };
    const span = tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, caller);
    const own = trace.setSpan(caller, span);
    // This header comes from a caller whose traceparent was not valid (W3C Trace Context, section 3.3).
    delete headers.tracestate;
    propagator.inject(own, headers, defaultTextMapSetter);
    contexts.with(own, work);
    return (status) => {
      span.setAttribute('http.response.status_code', status);
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    };
  }

  startDecisionSpan(): DecisionSpan | null {
    const span = this.#begin('decide', { kind: SpanKind.INTERNAL });
    return span && new OwnDecisionSpan(span, trace.setSpan(this.options.contexts.active(), span));
  }

  group<T>(spans: readonly DecisionSpan[], run: () => Promise<T>): Promise<T> {
    const { contexts } = this.options;
    const [first, ...others] = spans.filter((span) => span instanceof OwnDecisionSpan);
    // Without its own span, the group must not join the trace that happened to schedule it.
    if (first === undefined) return contexts.with(ROOT_CONTEXT, run);
    const links = others.map(({ span }): Link => ({ context: span.spanContext() }));
    return contexts.with(first.context.setValue(GROUP, { links, others }), run);
  }

  commit<T>(kind: string, size: number, run: () => Promise<T>): Promise<T> {
    const { links, others } = (this.options.contexts.active().getValue(GROUP) ?? { links: [], others: [] }) as {
      links: Link[];
      others: OwnDecisionSpan[];
    };
    const attributes = { 'db.system.name': SYSTEMS[kind] ?? kind, 'sluice.group_size': size };
    const span = this.#begin('store commit', { kind: SpanKind.CLIENT, attributes, links });
    if (span === null) return run();
    // A link lets the other traces of the group find this span too.
    for (const other of others) other.span.addLink({ context: span.spanContext() });
    return this.#runWithinSpan(span, run);
  }

  database = <T>({ operation, sql, statements }: DatabaseCall, run: () => Promise<T>): Promise<T> => {
    const name = summarizeStatement(sql);
    const span = this.#begin(name, {
      kind: SpanKind.CLIENT,
      attributes: {
        'db.system.name': 'sqlite',
        'db.operation.name': operation,
        'db.query.summary': name,
        'db.query.text': sql.slice(0, LONGEST_STATEMENT),
        ...(statements > 1 ? { 'db.operation.batch.size': statements } : {}),
      },
    });
    return span === null ? run() : this.#runWithinSpan(span, run);
  };

  startUpstreamSpan(method: string, origin: string): UpstreamSpan | null {
    const { hostname, port, protocol } = new URL(origin);
    const attributes = {
      'http.request.method': method,
      'server.address': hostname,
      'server.port': Number(port === '' ? (protocol === 'https:' ? 443 : 80) : port),
    };
    const span = this.#begin(`${method} upstream`, { kind: SpanKind.CLIENT, attributes });
    if (span === null) return null;
    const headers: Record<string, string> = {};
    propagator.inject(trace.setSpan(this.options.contexts.active(), span), headers, defaultTextMapSetter);
    return {
      headers,
      end(result) {
        if (typeof result === 'number') span.setAttribute('http.response.status_code', result);
        if (result instanceof Error) fail(span, result);
        if (typeof result === 'number' && result >= 400) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  /** Begins a span within the active one. Returns null if that is not recorded. */
  #begin(name: string, options: SpanOptions): Span | null {
    const active = this.options.contexts.active();
    return trace.getSpan(active)?.isRecording() ? this.options.tracer.startSpan(name, options, active) : null;
  }

  /** Runs `work` as the active span, and ends the span. */
  async #runWithinSpan<T>(span: Span, work: () => Promise<T>): Promise<T> {
    const { contexts } = this.options;
    try {
      return await contexts.with(trace.setSpan(contexts.active(), span), work);
    } catch (error) {
      fail(span, error);
      throw error;
    } finally {
      span.end();
    }
  }
}

/** Marks a span as failed. It records only name and code, because a message may hold client input. */
function fail(span: Span, fault: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  if (!(fault instanceof Error)) return;
  const { code } = fault as Error & { code?: unknown };
  span.setAttribute('error.type', typeof code === 'string' ? code : fault.name);
}

/** Summarizes a statement, so that there are few names: `select admin_tokens`. */
function summarizeStatement(sql: string): string {
  const [, verb = 'statement'] = /^\s*(\w+)/.exec(sql) ?? [];
  const [, table] = /\b(?:from|into|update)\s+["`]?(\w+)/i.exec(sql) ?? [];
  return table === undefined ? verb.toLowerCase() : `${verb.toLowerCase()} ${table}`;
}
