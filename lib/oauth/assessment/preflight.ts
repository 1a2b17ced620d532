import { compareTokens, whyNotInOrder } from '@/lib/oauth/assessment/comparison';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { describeResource } from '@/lib/oauth/assessment/protected-resource';
import type { TargetClient } from '@/lib/oauth/assessment/target';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';

/** One thing that the set-up check looked at: in order, wrong, or not there to look at (null). */
export interface PreflightCheck {
  what: 'metadata' | 'client' | 'session' | 'credentials' | 'second client' | 'native client' | 'resource';
  ok: boolean | null;
  text: string;
}

/** Looks at the set-up before anything is judged: what is wrong here leaves controls undecided, never passed. */
export async function preflight(probe: Probe): Promise<PreflightCheck[]> {
  const { target } = probe;
  const checks: PreflightCheck[] = [];
  const check = async (what: PreflightCheck['what'], look: () => Promise<Omit<PreflightCheck, 'what'>>) => {
    try {
      checks.push({ what, ...(await look()) });
    } catch (error) {
      checks.push({ what, ok: false, text: error instanceof CannotProbe ? error.message : 'It could not be checked.' });
    }
  };
  await check('metadata', async () => {
    const { issuer } = await probe.metadata();
    if (issuer === undefined) return { ok: null, text: 'None is read: the endpoints were given by hand.' };
    return issuer === target.issuer
      ? { ok: true, text: `Published, and the issuer is ${target.issuer}.` }
      : { ok: false, text: `Published, for the issuer ${String(issuer)}, not ${target.issuer}.` };
  });
  if (target.client === null) {
    checks.push({ what: 'client', ok: null, text: 'None was given: only what needs no client is judged.' });
  } else {
    await check('client', () => lookAtClient(probe, probe.client()));
    await check('session', async () => {
      await probe.keptCode();
      return { ok: true, text: 'The server gives codes.' };
    });
    await check('credentials', () => lookAtCredentials(probe, probe.client()));
  }
  const { otherClient, nativeClient } = target;
  if (otherClient !== null) await check('second client', () => lookAtCredentials(probe, otherClient));
  if (nativeClient !== null) await check('native client', () => lookAtClient(probe, nativeClient));
  if (target.resource !== null) await check('resource', () => lookAtResource(probe));
  return checks;
}

async function lookAtResource(probe: Probe): Promise<Omit<PreflightCheck, 'what'>> {
  const { status, metadata, servers } = await describeResource(probe);
  if (status !== 401 && status !== 403) {
    return { ok: false, text: `Without a token it answers ${status}, not 401: is the address right?` };
  }
  const answered = `Without a token it answers ${status}`;
  if (!probe.target.isFoundByResource) return { ok: true, text: `${answered}.` };
  if (metadata === null) return { ok: false, text: `${answered}, but it publishes no metadata (RFC 9728).` };
  return servers.length === 0
    ? { ok: false, text: `${answered}, but its metadata names no authorization server.` }
    : { ok: true, text: `${answered}; its metadata names ${servers.join(', ')}.` };
}

async function lookAtClient(probe: Probe, client: TargetClient): Promise<Omit<PreflightCheck, 'what'>> {
  const outcome = await probe.authorize('The request in order, without a session', {}, { client, anonymous: true });
  const why = whyNotInOrder(outcome);
  if (why === null || why === 'login_required' || why === 'interaction_required') {
    return { ok: true, text: `${client.id} is known, with this redirect URI and scope.` };
  }
  const hint: Record<string, string> = {
    invalid_scope: 'the scope is not allowed',
    unauthorized_client: 'the client may not use the authorization code grant',
    invalid_client: 'the client is not known',
  };
  return {
    ok: false,
    text: `The server refuses ${client.id}: ${hint[why] ?? why}. Check client id, redirect URI and scope.`,
  };
}

/** An invented code tells credentials apart: `invalid_grant` means that they are right. */
async function lookAtCredentials(probe: Probe, client: TargetClient): Promise<Omit<PreflightCheck, 'what'>> {
  const grant = { code: probe.randomText(), verifier: probe.randomText(), lifetime: null, client };
  const outcome = await probe.redeem('Redeem an invented code', grant);
  if (outcome.kind === 'issued') return { ok: false, text: 'The server redeems a code that it never issued.' };
  if (outcome.error === 'invalid_client' || (outcome.status === 401 && outcome.error === null)) {
    return {
      ok: false,
      text: `The server does not accept ${client.id} with these credentials: check id, secret and method.`,
    };
  }
  const compared = compareTokens(outcome);
  return compared.kind === 'undecided'
    ? { ok: false, text: `The token endpoint gives no clear answer: ${compared.why}.` }
    : { ok: true, text: `The token endpoint knows ${client.id}.` };
}
