import { z } from 'zod';
import { jsonObject } from '@/lib/oauth/assessment/exchange';
import { BUILDER_TABS } from '@/lib/oauth/builder/builder-request';

const Headers = z.array(z.tuple([z.string(), z.string()]).readonly()).readonly();

/** An answer as it came, without what the builder adds. */
export const HttpAnswer = z.object({ status: z.number(), headers: Headers, body: z.string() });

const BuilderResponse = z.discriminatedUnion('kind', [
  HttpAnswer.extend({
    kind: z.literal('answer'),
    durationMs: z.number(),
    /** Sluice's own rate limit refused it: the lab never saw the request. Seconds to wait. */
    limitedFor: z.number().nullable(),
  }),
  z.object({ kind: z.literal('fault'), text: z.string() }),
]);
/** What came back, or why nothing did. */
export type BuilderResponse = z.output<typeof BuilderResponse>;

const SessionRequest = z.object({
  id: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  tab: z.enum(BUILDER_TABS),
  raw: z.object({ method: z.enum(['GET', 'POST']), path: z.string(), headers: Headers, body: z.string().nullable() }),
  /** The controls that were off. */
  off: z.array(z.string()),
  answer: BuilderResponse,
  /** The answer of the secure configuration at the same instant; null when nothing was compared. */
  secure: BuilderResponse.nullable(),
  /** The controls that refuse it in the secure configuration. */
  blockedBy: z.array(z.string()),
});
/** A request of this session and what came of it. */
export type SessionRequest = z.output<typeof SessionRequest>;

const Session = z.object({
  /** Oldest first. */
  history: z.array(SessionRequest).readonly(),
  /** The newest values that the flow has produced, for the buttons that fill them in. */
  latest: z.object({ code: z.string(), verifier: z.string(), accessToken: z.string(), refreshToken: z.string() }),
});
/** What the builder remembers while the browser tab is open. */
export type Session = z.output<typeof Session>;

const KEY = 'sluice.oauth.builder';
/** The longest session that is kept, in characters. */
const LONGEST = 1_000_000;

/** The session of this browser tab; null if there is none, or if another version of this page wrote it. */
export function readSession(): Session | null {
  try {
    return Session.parse(JSON.parse(sessionStorage.getItem(KEY) ?? 'null'));
  } catch {
    return null;
  }
}

/** Keeps a session without its oldest requests, if there is no room for all. */
export function writeSession({ history, latest }: Session): void {
  for (let from = 0; from <= history.length; from = from * 2 + 1) {
    const text = JSON.stringify({ history: history.slice(from), latest });
    if (text.length > LONGEST) continue;
    try {
      sessionStorage.setItem(KEY, text);
      return;
    } catch {
      // No room: try with less.
    }
  }
}

export const clearSession = () => sessionStorage.removeItem(KEY);

/** The JSON object in a response's body; empty when there is none. */
export function jsonOf(response: BuilderResponse): Record<string, unknown> {
  return response.kind === 'fault' ? {} : jsonObject(response.body);
}

/** A text member of a response's body, or null. */
export function textOf(response: BuilderResponse, name: string): string | null {
  const value = jsonOf(response)[name];
  return typeof value === 'string' ? value : null;
}
