import type { Comparison } from '@/lib/oauth/assessment/comparison';
import type { Probe } from '@/lib/oauth/assessment/probe';
import type { PresentOptions } from '@/lib/oauth/assessment/requests';
import { type CannotProbe, ignoreUndecided } from '@/lib/oauth/assessment/verdict';
import { type Control, type ControlDraft, defineControl, type Tries } from '@/lib/oauth/controls/control';
import { introspect } from '@/lib/oauth/controls/introspect';
import { type Comparisons, judgeRefusals, type LesserFault } from '@/lib/oauth/controls/judge-refusals';
import { createBroaderControlError } from '@/lib/oauth/controls/patterns';
import { compareRefusableAccess } from '@/lib/oauth/controls/repeat-fault';
import { withoutOpenSessions } from '@/lib/oauth/controls/resource/token-required';
import { findUserinfo, presentAtUserinfo } from '@/lib/oauth/controls/userinfo';

/** A token that must be refused, or several spellings of it by their name. One accepted spelling is enough to fail. */
export type BadToken = string | Readonly<Record<string, string>>;

/** Creates a control for access tokens that the protected resource must refuse. It must accept a valid token first. */
export function defineAccessTokenControl<const T extends Tries>({
  tokens,
  inQuery,
  elsewhere = [],
  more,
  explainOpen,
  lesser,
  within,
  ...description
}: ControlDraft<T> & {
  tokens: (probe: Probe) => Promise<Partial<Record<keyof T, BadToken>>>;
  /** Sends the tokens in the URL instead of the header. */
  inQuery?: boolean;
  /** Presents the tokens at these endpoints of the server, too. */
  elsewhere?: readonly Elsewhere[];
  /** Lists other tries that the server accepts. */
  more?: (probe: Probe) => Promise<readonly string[]>;
  /** Returns why the resource itself cannot be judged, or null if it can. Other endpoints are tried all the same. */
  explainOpen?: (probe: Probe) => Promise<CannotProbe | null>;
  lesser?: LesserFault;
  /** A broader control, with a token that is accepted only if that control fails. This control is not judged then. */
  within?: { control: string; token: (probe: Probe) => Promise<string> };
}): Control {
  return defineControl({
    ...description,
    async probe(probe) {
      const others = (await more?.(probe).catch(ignoreUndecided)) ?? [];
      const isDecided = others.length > 0;
      const bad = isDecided ? ((await tokens(probe).catch(ignoreUndecided)) ?? {}) : await tokens(probe);
      if (within !== undefined) {
        const broader = await probe.presentToken('Does the broader control hold?', await within.token(probe));
        if (broader.accepted) throw createBroaderControlError(within.control);
      }
      const open = (await explainOpen?.(probe)) ?? null;
      const comparisons = new Map(open === null ? await compareAccessTokens(probe, bad, { inQuery }) : []);
      for (const place of elsewhere)
        for (const label of await listAccepted(probe, bad, { place, inQuery, broader: await within?.token(probe) }))
          comparisons.set(`${label} ${place}`, { kind: 'accepted' });
      // Afterwards, because a new authorization may end the tokens of an earlier one.
      await probe.requireWorkingToken();
      for (const label of others) comparisons.set(label, { kind: 'accepted' });
      if (open !== null && comparisons.size === 0) throw open;
      return comparisons;
    },
    rule: (comparisons) => judgeRefusals(comparisons, lesser),
  });
}

/** Label of a token that the server never issued. */
export const INVENTED = 'an invented token';

/** Endpoints that take access tokens, too: UserInfo, if it is not the resource itself, and introspection. */
type Elsewhere = 'at UserInfo' | 'by introspection';

/**
 * Lists the tokens that another endpoint accepts. An answer counts only if a valid token is accepted, and an invented one
 * is not: then that is the fault. Empty if it accepts a token that only a broader control refuses.
 */
async function listAccepted(
  probe: Probe,
  bad: Readonly<Record<string, BadToken | undefined>>,
  options: { place: Elsewhere; inQuery?: boolean | undefined; broader?: string | undefined },
): Promise<string[]> {
  const { place, inQuery = false, broader } = options;
  const url = await findUserinfo(probe);
  if (place === 'at UserInfo' && (url === null || url === probe.target.resource?.url)) return [];
  const ask = async (label: string, token: string, options = {}) =>
    place === 'at UserInfo'
      ? (await presentAtUserinfo(probe, `Present ${label} at UserInfo`, url ?? '', token, options)).accepted
      : (await introspect(probe, token, `Introspect ${label}`)).active === true;
  const { accessToken } = await probe.requireWorkingToken();
  if (!(await ask('a valid token', accessToken))) return [];
  if (broader !== undefined && (await ask('a token of another key', broader))) return [];
  const accepted: string[] = [];
  for (const [label, token = {}] of Object.entries(bad))
    for (const each of typeof token === 'string' ? [token] : Object.values(token))
      if (!accepted.includes(label) && (await ask(label, each, { inQuery }))) accepted.push(label);
  const isOpen = accepted.length > 0 && (await ask('an invented token', 'not-a-token', { inQuery }));
  return isOpen ? accepted.filter((label) => label === INVENTED) : accepted;
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
  return withoutOpenSessions(probe, comparisons);
}
