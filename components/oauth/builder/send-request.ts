import { z } from 'zod';
import type { BuilderResponse } from '@/components/oauth/builder/session-request';
import { compareInLab } from '@/lib/contract/lab-comparison';
import type { RawRequest } from '@/lib/oauth/builder/builder-request';

/** What Sluice answers in the lab's place when there are too many requests; the lab itself never does. */
const OWN_REFUSALS = new Set(['slow_down', 'temporarily_unavailable']);
const TIMEOUT_MS = 20_000;

const Recorded = z.object({
  request: z.unknown(),
  response: z.object({ status: z.number(), headers: z.array(z.tuple([z.string(), z.string()])), body: z.string() }),
  durationMs: z.number(),
});
const Compared = z.object({ given: Recorded, secure: Recorded, blocked_by: z.array(z.string()) });

/** What sending brought: the answer, and with comparison that of the secure configuration. */
export interface SendResult {
  answer: BuilderResponse;
  secure: BuilderResponse | null;
  blockedBy: readonly string[];
}

/** Sends a request as it stands, from this browser, without cookies. Faults are answers of their own. */
export async function sendRequest(raw: RawRequest): Promise<SendResult> {
  return { answer: await exchange(raw), secure: null, blockedBy: [] };
}

/** Has the lab answer the request twice at one instant: as it stands, and with every control on. */
export async function compareRequest(raw: RawRequest): Promise<SendResult> {
  const answer = await exchange({
    method: compareInLab.method,
    path: compareInLab.path,
    headers: [['Content-Type', 'application/json']],
    body: JSON.stringify(raw),
  });
  if (answer.kind === 'fault' || answer.status !== 200) return { answer, secure: null, blockedBy: [] };
  const compared = Compared.safeParse(JSON.parse(answer.body));
  if (!compared.success) return { answer, secure: null, blockedBy: [] };
  const { given, secure, blocked_by: blockedBy } = compared.data;
  return { answer: recorded(given), secure: recorded(secure), blockedBy };
}

function recorded({ response, durationMs }: z.output<typeof Recorded>): BuilderResponse {
  return { kind: 'answer', ...response, durationMs, limitedFor: null };
}

async function exchange(raw: RawRequest): Promise<BuilderResponse> {
  const startedAt = performance.now();
  try {
    const response = await fetch(raw.path, {
      method: raw.method,
      headers: raw.headers.map(([name, value]): [string, string] => [name, value]),
      body: raw.body,
      credentials: 'omit',
      cache: 'no-store',
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body = await response.text();
    const headers = [...response.headers];
    const durationMs = performance.now() - startedAt;
    return { kind: 'answer', status: response.status, headers, body, durationMs, limitedFor: limitOf(response, body) };
  } catch (error) {
    return { kind: 'fault', text: faultOf(error) };
  }
}

function limitOf(response: Response, body: string): number | null {
  if (response.status !== 429 && response.status !== 503) return null;
  try {
    if (!OWN_REFUSALS.has(JSON.parse(body).error)) return null;
  } catch {
    return null;
  }
  return Math.max(1, Number(response.headers.get('retry-after')) || 1);
}

function faultOf(error: unknown): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'No answer came within 20 seconds.';
  if (error instanceof TypeError && /header|ByteString|ISO-8859/i.test(error.message)) {
    return 'The browser did not send this: a header would hold characters that no header can hold.';
  }
  return 'The request could not be sent, or no answer came. Is the server reachable?';
}
