import { z } from 'zod';
import { explainFault, sendWireRequest } from '@/components/oauth/send-wire-request';
import { parseJsonObject } from '@/lib/oauth/assessment/exchange';
import { type BuilderRequest, planLabRequest } from '@/lib/oauth/builder/builder-request';
import { findHeader } from '@/lib/oauth/client/check-answer';
import { buildLabEnvironments } from '@/lib/oauth/client/environment';
import { type ClientFlow, NO_EDITS, planRequest } from '@/lib/oauth/client/plan-request';
import type { TimedAnswer } from '@/lib/oauth/client/send-step';
import { startFlow } from '@/lib/oauth/client/start-flow';
import { buildWireRequest } from '@/lib/oauth/client/wire-request';
import { type ControlSwitch, enableControlsExcept, SECURE_CONTROLS } from '@/lib/oauth/lab/controls';

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

/** Sends a token to the lab's resource server, with some controls off for this request. */
export async function sendToLab(token: string, off: readonly ControlSwitch[]): Promise<Outcome<LabAnswer>> {
  const answer = await send({ tab: 'data', fields: { access_token: token }, controls: enableControlsExcept(...off) });
  if (!answer.ok) return answer;
  const { status, body } = answer.value;
  return { ok: true, value: { ...LabAnswer.parse(parseJsonObject(body)), status, body, off } };
}

/** Obtains an access token from the lab by the authorization code flow with PKCE (RFC 7636). */
export async function getLabToken(): Promise<Outcome<string>> {
  const flow = await startFlow();
  if (flow === null) return { ok: false, problem: 'Browsers offer cryptography over https and on localhost only.' };
  const authorized = await issue('authorize', flow);
  if (!authorized.ok) return authorized;
  const issued = await issue('token', { ...flow, code: authorized.value.code ?? '' });
  return issued.ok ? { ok: true, value: issued.value.access_token ?? '' } : issued;
}

const Issued = z.looseObject({ code: z.string().optional(), access_token: z.string().optional() });

async function issue(tab: 'authorize' | 'token', flow: ClientFlow): Promise<Outcome<z.output<typeof Issued>>> {
  const [lab] = buildLabEnvironments(window.location.origin);
  const environment = { ...lab, redirect_uri: 'https://app.example.com/callback', scope: 'openid profile' };
  const { parameters } = planRequest(tab, { environment, flow, metadata: null, thumbprint: '', edits: NO_EDITS });
  const answer = await send({ tab, fields: Object.fromEntries(parameters), controls: SECURE_CONTROLS });
  if (!answer.ok) return answer;
  const { status, body } = answer.value;
  if (status === 200) return { ok: true, value: Issued.parse(parseJsonObject(body)) };
  return {
    ok: false,
    problem: LabAnswer.parse(parseJsonObject(body)).error_description ?? `The lab answered ${status}.`,
  };
}

/**
 * Sends a request to the lab. Requests of signed-in members count in the class `lab`, those of visitors by their
 * address.
 */
async function send(request: BuilderRequest): Promise<Outcome<TimedAnswer>> {
  try {
    const answer = await sendWireRequest(buildWireRequest(planLabRequest(request, window.location.origin)));
    if (answer.status !== 429) return { ok: true, value: answer };
    const seconds = findHeader(answer, 'retry-after') ?? 'a few';
    return { ok: false, problem: `Too many requests from your address. Try again in ${seconds} seconds.` };
  } catch (error) {
    return { ok: false, problem: explainFault(error) };
  }
}
