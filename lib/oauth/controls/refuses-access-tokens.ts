import type { Comparison } from '@/lib/oauth/assessment/comparison';
import { parseResponseJson } from '@/lib/oauth/assessment/exchange';
import type { Probe } from '@/lib/oauth/assessment/probe';
import type { PresentOptions } from '@/lib/oauth/assessment/requests';
import { type Control, type ControlDraft, defineControl, type Tries } from '@/lib/oauth/controls/control';
import { type Comparisons, createBroaderControlError, judgeRefusals } from '@/lib/oauth/controls/patterns';
import { compareRefusableAccess } from '@/lib/oauth/controls/repeat-fault';

/** A token that must be refused, or several spellings of it by their name. One accepted spelling is enough to fail. */
export type BadToken = string | Readonly<Record<string, string>>;

/** Creates a control for access tokens that the protected resource must refuse. It must accept a valid token first. */
export function defineAccessTokenControl<const T extends Tries>({
  tokens,
  inQuery,
  atUserinfo = false,
  within,
  ...description
}: ControlDraft<T> & {
  tokens: (probe: Probe) => Promise<Partial<Record<keyof T, BadToken>>>;
  /** Sends the tokens in the URL instead of the header. */
  inQuery?: boolean;
  /** Presents the tokens at the UserInfo endpoint, too, if it is another resource. */
  atUserinfo?: boolean;
  /** A broader control, with a token that is accepted only if that control fails. This control is not judged then. */
  within?: { control: string; token: (probe: Probe) => Promise<string> };
}): Control {
  return defineControl({
    ...description,
    async probe(probe) {
      const bad = await tokens(probe);
      if (within !== undefined) {
        const broader = await probe.presentToken('Does the broader control hold?', await within.token(probe));
        if (broader.accepted) throw createBroaderControlError(within.control);
      }
      const comparisons = new Map(await compareAccessTokens(probe, bad, { inQuery }));
      if (atUserinfo)
        for (const label of await listAcceptedAtUserinfo(probe, bad, inQuery))
          comparisons.set(`${label} at UserInfo`, { kind: 'accepted' });
      // Afterwards, because a new authorization may end the tokens of an earlier one.
      await probe.requireWorkingToken();
      return comparisons;
    },
    rule: judgeRefusals,
  });
}

/**
 * Lists the tokens that the UserInfo endpoint accepts. An answer counts only if it has a subject, and if the answer to an
 * invented token has none.
 */
async function listAcceptedAtUserinfo(
  probe: Probe,
  bad: Readonly<Record<string, BadToken | undefined>>,
  inQuery = false,
): Promise<string[]> {
  const { userinfo_endpoint: url } = await probe.fetchServerMetadata();
  if (typeof url !== 'string' || !URL.canParse(url) || url === probe.target.resource?.url) return [];
  const ask = async (label: string, token: string) => {
    const address = new URL(url);
    if (inQuery) address.searchParams.set('access_token', token);
    const headers: Record<string, string> = inQuery ? {} : { authorization: `Bearer ${token}` };
    const exchange = await probe.send(label, address.href, { headers });
    return exchange.response.status === 200 && parseResponseJson(exchange).sub !== undefined;
  };
  const accepted: string[] = [];
  for (const [label, token] of Object.entries(bad))
    if (typeof token === 'string' && (await ask(`Present ${label} at UserInfo`, token))) accepted.push(label);
  if (accepted.length === 0 || (await ask('Present an invented token at UserInfo', 'not-a-token'))) return [];
  return accepted;
}

/** Presents tokens that must be refused, each compared with a valid one. */
export async function compareAccessTokens(
  probe: Probe,
  bad: Readonly<Record<string, BadToken | undefined>>,
  options: PresentOptions = {},
): Promise<Comparisons> {
  const comparisons = new Map<string, Comparison>();
  for (const [label, token] of Object.entries(bad)) {
    const spellings = typeof token === 'object' ? Object.entries(token) : [['', token ?? ''] as const];
    for (const [spelling, each] of spellings) {
      const name = spelling === '' ? label : `${label} (${spelling})`;
      const compared = await compareRefusableAccess(probe, `Present ${name}`, each, options);
      if (compared.kind === 'accepted') {
        comparisons.delete(label);
        comparisons.set(name, compared);
        break;
      }
      if (comparisons.get(label)?.kind !== 'undecided') comparisons.set(label, compared);
    }
  }
  return comparisons;
}
