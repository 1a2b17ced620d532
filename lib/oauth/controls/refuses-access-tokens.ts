import { type Comparison, compareAccess } from '@/lib/oauth/assessment/comparison';
import type { Probe } from '@/lib/oauth/assessment/probe';
import type { PresentOptions } from '@/lib/oauth/assessment/requests';
import { type Control, type ControlDraft, defineControl, type Tries } from '@/lib/oauth/controls/control';
import { type Comparisons, createBroaderControlError, judgeRefusals } from '@/lib/oauth/controls/patterns';

/** A token that must be refused, or several spellings of it by their name. One accepted spelling is enough to fail. */
export type BadToken = string | Readonly<Record<string, string>>;

/** Creates a control for access tokens that the protected resource must refuse. It must accept a valid token first. */
export function defineAccessTokenControl<const T extends Tries>({
  tokens,
  inQuery,
  within,
  ...description
}: ControlDraft<T> & {
  tokens: (probe: Probe) => Promise<Partial<Record<keyof T, BadToken>>>;
  /** Sends the tokens in the URL instead of the header. */
  inQuery?: boolean;
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
      const comparisons = await compareAccessTokens(probe, bad, { inQuery });
      // Afterwards, because a new authorization may end the tokens of an earlier one.
      await probe.requireWorkingToken();
      return comparisons;
    },
    rule: judgeRefusals,
  });
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
      const compared = compareAccess(await probe.presentToken(`Present ${name}`, each, options));
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
