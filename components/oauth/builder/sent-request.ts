import type { BuilderTab, RawRequest } from '@/lib/oauth/builder/builder-request';

/** What came back, or why nothing did. */
export type Answer =
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
export interface SentRequest {
  id: string;
  /** Milliseconds since the epoch. */
  at: number;
  tab: BuilderTab;
  raw: RawRequest;
  /** The controls that were off. */
  off: readonly string[];
  answer: Answer;
  /** The answer of the secure configuration at the same instant; null when nothing was compared. */
  secure: Answer | null;
  /** The controls that refuse it in the secure configuration. */
  blockedBy: readonly string[];
}

/** The JSON object in an answer's body; empty when there is none. */
export function jsonOf(answer: Answer): Record<string, unknown> {
  if (answer.kind === 'fault') return {};
  try {
    const value: unknown = JSON.parse(answer.body);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}

/** A member of an answer's body that is text, or null. */
export function textOf(answer: Answer, name: string): string | null {
  const value = jsonOf(answer)[name];
  return typeof value === 'string' ? value : null;
}
