import type { ObserveCall } from '@/lib/db/observed-client';

/** The request that a span describes. This process answers it. */
export interface ServedRequest {
  method: string;
  /** Path without query. */
  path: string;
  /** Class of the request. There are few classes, but many paths. */
  route: string;
  requestId: string;
  /** The client's address, in canonical form. */
  address: string | null;
  /** Names are in lower case. The caller's trace is read from them, then replaced by this span for later readers. */
  headers: Record<string, string | string[] | undefined>;
}

/** Result of a decision, for its span. */
interface TracedDecision {
  class: string | null;
  outcome: string;
  degraded: boolean;
  refusal: { error: string } | null;
}

/** The span of one submission to the engine, which waits for its group. */
export interface DecisionSpan {
  end(decisions: readonly TracedDecision[] | null): void;
}

/** The span of one call of the upstream. */
export interface UpstreamSpan {
  /** Headers that continue the trace. */
  headers: Readonly<Record<string, string>>;
  /** @param result the status, or the reason why there is none; undefined if the client disconnected */
  end(result: number | Error | undefined): void;
}

/**
 * The traces of this process (OpenTelemetry). The object exists only if traces are on, so that otherwise each call site
 * costs one comparison. Work outside of a recorded trace is not recorded: the periodic work of the process has no
 * spans.
 */
export interface Tracing {
  /** Runs `work` within the span of a request. @returns a function that ends the span */
  serve(request: ServedRequest, work: () => void): (status: number) => void;
  /** Begins the span of a submission. Returns null outside of a recorded trace. */
  startDecisionSpan(): DecisionSpan | null;
  /** Runs the decision of a group within the first span, linked to the others. */
  group<T>(spans: readonly DecisionSpan[], run: () => Promise<T>): Promise<T>;
  /**
   * Runs the call of the counter store that decides the group. @param kind kind of the store @param size size of the
   * group
   */
  commit<T>(kind: string, size: number, run: () => Promise<T>): Promise<T>;
  database: ObserveCall;
  /** Begins the span of a call of the upstream. Returns null outside of a recorded trace. */
  startUpstreamSpan(method: string, origin: string): UpstreamSpan | null;
  /** Sends the spans in memory. Never throws. */
  close(): Promise<void>;
}
