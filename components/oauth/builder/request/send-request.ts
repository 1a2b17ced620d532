import { z } from 'zod';
import { type BuilderResponse, HttpAnswer, parseJsonBody } from '@/components/oauth/builder/builder-state';
import { explainFault, sendWireRequest } from '@/components/oauth/send-wire-request';
import { COMPARISON_PATH } from '@/lib/contract/lab-paths';
import type { WireRequest } from '@/lib/oauth/client/wire-request';

const Recorded = z
  .object({ response: HttpAnswer, durationMs: z.number() })
  .transform(({ response, durationMs }) => ({ kind: 'answer' as const, ...response, durationMs }));
const Compared = z.object({ given: Recorded, secure: Recorded, blocked_by: z.array(z.string()) });

/**
 * Sends a request to the lab. With `compare` the lab answers twice at the same time: as sent, and with every control
 * on. A missing answer is returned as a fault.
 */
export async function sendLabRequest(request: WireRequest, compare: boolean) {
  const answer = await receive(compare ? buildComparison(request) : request);
  const { data } = Compared.safeParse(compare ? parseJsonBody(answer) : null);
  return data
    ? { answer: data.given, secure: data.secure, blockedBy: data.blocked_by }
    : { answer, secure: null, blockedBy: [] };
}

async function receive(request: WireRequest): Promise<BuilderResponse> {
  try {
    return { kind: 'answer', ...(await sendWireRequest(request)) };
  } catch (error) {
    return { kind: 'fault', text: explainFault(error) };
  }
}

function buildComparison({ method, url, headers, body }: WireRequest): WireRequest {
  const { origin, pathname, search } = new URL(url);
  return {
    ...{ method: 'POST', url: origin + COMPARISON_PATH, headers: [['Content-Type', 'application/json']] },
    body: JSON.stringify({ method, path: pathname + search, headers, body: method === 'POST' ? body : null }),
  };
}
