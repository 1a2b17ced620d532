import type { ObserveCall } from '@/lib/db/observed-client';

/** The span of a request that this process answers. */
export interface ServedRequest {
  method: string;
  /** Without query. */
  path: string;
  /** Its class: routes are few, paths are not. */
  route: string;
  requestId: string;
  /** The client's, in canonical form. */
  address: string | null;
  /** Names in lower case. The trace of the caller is read from them, and replaced by this span for whoever reads on. */
  headers: Record<string, string | string[] | undefined>;
}

/** What a decision was, for its span. */
interface TracedDecision {
  class: string;
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
  /** That continue the trace. */
  headers: Readonly<Record<string, string>>;
  /** @param result the status, or why there is none; undefined where the client gave up */
  end(result: number | Error | undefined): void;
}

/**
 * The traces of this process (OpenTelemetry). It exists only where they are on, so that everywhere else costs a
 * comparison. What is not part of a recorded trace is not recorded: the periodic work of the process has no spans.
 */
export interface Tracing {
  /** Runs `work` within the span of a request. @returns ends the span */
  serve(request: ServedRequest, work: () => void): (status: number) => void;
  /** Begins the span of a submission, or null outside of a recorded trace. */
  decision(): DecisionSpan | null;
  /** Runs the decision of a group: within the first span, linked to the others. */
  group<T>(spans: readonly DecisionSpan[], run: () => Promise<T>): Promise<T>;
  /** Runs the call of the counter store that decides the group. @param kind of the store @param size of the group */
  commit<T>(kind: string, size: number, run: () => Promise<T>): Promise<T>;
  database: ObserveCall;
  /** Begins the span of a call of the upstream, or null outside of a recorded trace. */
  upstream(method: string, origin: string): UpstreamSpan | null;
  /** Sends what is in memory. Never throws. */
  close(): Promise<void>;
}
