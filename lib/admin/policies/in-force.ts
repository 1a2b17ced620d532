import { type DocumentKind, planDocument, readSetting } from '@/lib/admin/setting';
import { DEFAULT_POLICIES, mergePatch, type Policies, PoliciesPatch } from '@/lib/contract/policies';
import { POLICIES_SETTING } from '@/lib/enforcement/rules-cache';
import type { Context } from '@/lib/operation/context';
import type { Services } from '@/lib/operation/services';

export const POLICIES_DOCUMENT: DocumentKind = { name: POLICIES_SETTING, action: 'policies.update' };

/** Reads the patch of all changes made at run time. */
export async function readStoredPatch({ database }: Services): Promise<PoliciesPatch> {
  return PoliciesPatch.parse((await readSetting(database, POLICIES_SETTING)) ?? {});
}

/** Computes the policies in force: the defaults, then `SLUICE_POLICIES`, then the stored patch. */
export function computeEffectivePolicies({ config }: Services, stored: PoliciesPatch): Policies {
  return mergePatch(mergePatch(DEFAULT_POLICIES, config.SLUICE_POLICIES ?? {}), stored);
}

/** Plans a change of the policies from one stored patch to another. */
export function planPolicies(
  context: Context,
  stored: { before: PoliciesPatch; after: PoliciesPatch },
  revision: number,
  reason?: string | null,
) {
  const before = computeEffectivePolicies(context.services, stored.before);
  const after = computeEffectivePolicies(context.services, stored.after);
  const planned = planDocument(context, POLICIES_DOCUMENT, { before, after, stored }, revision, reason);
  return { ...planned, result: after };
}
