import { jsonObject } from '@/lib/oauth/assessment/exchange';
import type { BuilderTab, RawRequest } from '@/lib/oauth/builder/builder-request';

/** What came back, or why nothing did. */
export type BuilderResponse =
  | {
      kind: 'answer';
      status: number;
      headers: readonly (readonly [string, string])[];
      body: string;
      durationMs: number;
      /** Sluice's own rate limit refused it: the lab never saw the request. Seconds to wait. */
      limitedFor: number | null;
    }
  | { kind: 'fault'; text: string };

/** A request of this session and what came of it. */
export interface SessionRequest {
  id: string;
  /** Milliseconds since the epoch. */
  at: number;
  tab: BuilderTab;
  raw: RawRequest;
  /** The controls that were off. */
  off: readonly string[];
  answer: BuilderResponse;
  /** The answer of the secure configuration at the same instant; null when nothing was compared. */
  secure: BuilderResponse | null;
  /** The controls that refuse it in the secure configuration. */
  blockedBy: readonly string[];
}

/** The JSON object in a response's body; empty when there is none. */
export function jsonOf(response: BuilderResponse): Record<string, unknown> {
  return response.kind === 'fault' ? {} : jsonObject(response.body);
}

/** A text member of a response's body, or null. */
export function textOf(answer: BuilderResponse, name: string): string | null {
  const value = jsonOf(answer)[name];
  return typeof value === 'string' ? value : null;
}
