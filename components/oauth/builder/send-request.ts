import { z } from 'zod';
import { type BuilderResponse, HttpAnswer, parseJsonBody } from '@/components/oauth/builder/builder-state';
import { RefusalCodeSchema } from '@/lib/contract/fields/enumerations';
import { COMPARISON_PATH } from '@/lib/contract/lab-paths';
import { jsonObject } from '@/lib/oauth/assessment/exchange';
import type { RawRequest } from '@/lib/oauth/builder/builder-request';

const TIMEOUT_MS = 20_000;

const Recorded = z
  .object({ response: HttpAnswer, durationMs: z.number() })
  .transform(({ response, durationMs }) => ({ kind: 'answer' as const, ...response, durationMs, limitedFor: null }));
const Compared = z.object({ given: Recorded, secure: Recorded, blocked_by: z.array(z.string()) });

/**
 * Sends a request unchanged from this browser, whose session cookie proves the sign-in. With `compare` the lab answers
 * twice at the same time: as sent, and with every control on. Network errors are returned as an answer.
 */
export async function sendRequest(raw: RawRequest, compare: boolean) {
  if (!compare) return { answer: await exchange(raw), secure: null, blockedBy: [] };
  const headers = [['Content-Type', 'application/json']] as const;
  const answer = await exchange({ method: 'POST', path: COMPARISON_PATH, headers, body: JSON.stringify(raw) });
  const { data } = Compared.safeParse(parseJsonBody(answer));
  return data
    ? { answer: data.given, secure: data.secure, blockedBy: data.blocked_by }
    : { answer, secure: null, blockedBy: [] };
}

async function exchange(raw: RawRequest): Promise<BuilderResponse> {
  const startedAt = performance.now();
  try {
    const response = await fetch(raw.path, {
      method: raw.method,
      headers: Object.fromEntries(raw.headers),
      body: raw.body,
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body = await response.text();
    const durationMs = performance.now() - startedAt;
    // The lab never uses these codes, so such an answer is a refusal by Sluice itself.
    const limited = [429, 503].includes(response.status) && RefusalCodeSchema.safeParse(jsonObject(body).error).success;
    const limitedFor = limited ? Math.max(1, Number(response.headers.get('retry-after')) || 1) : null;
    return { kind: 'answer', status: response.status, headers: [...response.headers], body, durationMs, limitedFor };
  } catch (error) {
    const fault = (text: string) => ({ kind: 'fault' as const, text });
    if (error instanceof DOMException && error.name === 'TimeoutError') return fault('No response within 20 seconds.');
    if (error instanceof TypeError && /header|ByteString|ISO-8859/i.test(error.message)) {
      return fault('The browser did not send this: a header contains characters not allowed in headers.');
    }
    return fault('The request could not be sent, or no response came. Is the server reachable?');
  }
}
