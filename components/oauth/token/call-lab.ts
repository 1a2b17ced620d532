import { z } from 'zod';
import { LAB_PATHS } from '@/lib/contract/lab-paths';
import { jsonObject } from '@/lib/oauth/assessment/exchange';
import { type ControlSwitch, controlsWithout } from '@/lib/oauth/lab/controls';
import { CONTROLS_HEADER, writeControlsHeader } from '@/lib/oauth/lab/controls-header';
import { pkcePair, randomText } from '@/lib/oauth/pkce';

const Controls = z.array(z.string()).catch([]);
const LabAnswer = z.looseObject({
  error: z.string().optional().catch(undefined),
  error_description: z.string().optional().catch(undefined),
  blocked_by: Controls,
  would_be_blocked_by: Controls,
});

/** The lab's answer to a token. */
export interface LabAnswer extends z.output<typeof LabAnswer> {
  status: number;
  body: string;
  /** Controls that were off. */
  off: readonly ControlSwitch[];
}

type Outcome<T> = { ok: true; value: T } | { ok: false; problem: string };

const TIMEOUT_MS = 20_000;

/** Sends a token to the lab's resource server, with some controls off for this request. */
export async function sendToLab(token: string, off: readonly ControlSwitch[]): Promise<Outcome<LabAnswer>> {
  const weakened = writeControlsHeader(controlsWithout(...off));
  const headers = { Authorization: `Bearer ${token}`, ...(weakened === null ? {} : { [CONTROLS_HEADER]: weakened }) };
  const answer = await call(LAB_PATHS.data, { headers });
  if (!answer.ok) return answer;
  const { status, body } = answer.value;
  return { ok: true, value: { ...LabAnswer.parse(jsonObject(body)), status, body, off } };
}

const REDIRECT_URI = 'https://app.example.com/callback';
const CLIENT = { client_id: 'demo-client', redirect_uri: REDIRECT_URI };

/** Obtains an access token from the lab by the authorization code flow with PKCE (RFC 7636). */
export async function getLabToken(): Promise<Outcome<string>> {
  const pair = await pkcePair();
  if (pair === null) return { ok: false, problem: 'Browsers offer cryptography over https and on localhost only.' };
  const authorized = await post(LAB_PATHS.authorize, {
    ...CLIENT,
    ...{ response_type: 'code', scope: 'openid profile', state: randomText(), nonce: randomText() },
    ...{ code_challenge: pair.challenge, code_challenge_method: 'S256' },
  });
  if (!authorized.ok) return authorized;
  const grant = { grant_type: 'authorization_code', code: authorized.value.code ?? '', code_verifier: pair.verifier };
  const issued = await post(LAB_PATHS.token, { ...CLIENT, ...grant });
  return issued.ok ? { ok: true, value: issued.value.access_token ?? '' } : issued;
}

const Issued = z.looseObject({ code: z.string().optional(), access_token: z.string().optional() });

async function post(path: string, parameters: Record<string, string>): Promise<Outcome<z.output<typeof Issued>>> {
  const answer = await call(path, { method: 'POST', body: new URLSearchParams(parameters) });
  if (!answer.ok) return answer;
  const { status, body } = answer.value;
  if (status === 200) return { ok: true, value: Issued.parse(jsonObject(body)) };
  return { ok: false, problem: LabAnswer.parse(jsonObject(body)).error_description ?? `The lab answered ${status}.` };
}

/**
 * Calls a path of this origin without following redirects. The session is sent so that requests of signed-in members
 * count in the class `lab`; visitors have none and count by address. The session grants nothing: the lab reads no
 * console cookie, only the token in the header.
 */
async function call(path: string, init: RequestInit): Promise<Outcome<{ status: number; body: string }>> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(path, {
      ...init,
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'manual',
      signal,
    });
    const body = await response.text();
    if (response.status !== 429) return { ok: true, value: { status: response.status, body } };
    const seconds = response.headers.get('retry-after') ?? 'a few';
    return { ok: false, problem: `Too many requests from your address. Try again in ${seconds} seconds.` };
  } catch {
    return { ok: false, problem: 'No response. Is the server reachable?' };
  }
}
