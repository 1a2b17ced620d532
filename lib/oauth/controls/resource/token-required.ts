import type { Comparison } from '@/lib/oauth/assessment/comparison';
import { parseResponseJson } from '@/lib/oauth/assessment/exchange';
import type { Probe } from '@/lib/oauth/assessment/probe';
import type { PresentOptions } from '@/lib/oauth/assessment/requests';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { type Comparisons, judgeRefusals } from '@/lib/oauth/controls/judge-refusals';
import { createBroaderControlError } from '@/lib/oauth/controls/patterns';
import { compareRefusableAccess } from '@/lib/oauth/controls/repeat-fault';
import { findUserinfo } from '@/lib/oauth/controls/userinfo';

/** Why a session of the Model Context Protocol that opens without a token proves nothing. */
const OPEN_SESSION =
  'the resource opens an MCP session without a token, and may still ask for one to call what it protects';

/** Returns whether UserInfo describes a person to a request without a token. */
async function isOpenToAnyone(probe: Probe, url: string): Promise<boolean> {
  const { response } = await probe.send('Present no token at UserInfo', url);
  return response.status === 200 && parseResponseJson({ response }).sub !== undefined;
}

/** Returns whether the resource opens without a token. It is asked once for all controls that depend on it. */
const opensWithoutToken = (probe: Probe): Promise<boolean> =>
  probe.runOnce(
    'open resource',
    async () => (await probe.presentToken('Present no token', '', { withoutToken: true })).accepted,
  );

/** Leaves accepted tokens undecided if they opened an MCP session that opens without a token, too. */
export async function withoutOpenSessions(probe: Probe, comparisons: Comparisons): Promise<Comparisons> {
  const isAccepted = [...comparisons.values()].some(({ kind }) => kind === 'accepted');
  if (!isAccepted || probe.resourceMethod !== 'POST' || !(await opensWithoutToken(probe))) return comparisons;
  const judge = (compared: Comparison): Comparison =>
    compared.kind === 'accepted' ? { kind: 'undecided', why: OPEN_SESSION } : compared;
  return new Map([...comparisons].map(([label, compared]) => [label, judge(compared)]));
}

/** Returns why a resource that opens without a token cannot be judged otherwise. Null if it needs one. */
export async function explainOpenResource(probe: Probe): Promise<CannotProbe | null> {
  if (!(await opensWithoutToken(probe))) return null;
  return probe.resourceMethod === 'POST'
    ? new CannotProbe('inconclusive', `Undecided: ${OPEN_SESSION}.`)
    : createBroaderControlError('token-required');
}

/** Control for resources that anyone opens (RFC 6750 section 3). */
export const TOKEN_REQUIRED: Control = defineControl({
  id: 'token-required',
  title: 'A protected resource opens with a token only',
  wrong: 'A protected resource opens without a token',
  severity: 'critical',
  area: 'resource',
  source: ['RFC 6750 3', 'OpenID Connect Core 5.3.1'],
  switchable: false,
  needs: ['client', 'login', 'resource'],
  protectsFrom: 'Anyone reads what belongs to a user, without any client or consent.',
  tries: {
    'no token': 'RFC 6750 3',
    'an empty token': 'RFC 6750 3',
    'no token at UserInfo': 'OpenID Connect Core 5.3.1',
  },
  async probe(probe) {
    const comparisons = new Map<string, Comparison>();
    const present = async (label: string, options: PresentOptions): Promise<Comparison> => {
      const compared = await compareRefusableAccess(probe, `Present ${label}`, '', options);
      const isSession = compared.kind === 'accepted' && probe.resourceMethod === 'POST';
      return isSession ? { kind: 'undecided', why: OPEN_SESSION } : compared;
    };
    comparisons.set('no token', await present('no token', { withoutToken: true }));
    comparisons.set('an empty token', await present('an empty token', { headers: { authorization: 'Bearer ' } }));
    const url = await findUserinfo(probe);
    if (url !== null && (await isOpenToAnyone(probe, url)))
      comparisons.set('no token at UserInfo', { kind: 'accepted' });
    await probe.requireWorkingToken();
    return comparisons;
  },
  rule: judgeRefusals,
});
