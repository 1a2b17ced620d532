import { readSetting } from '@/lib/admin/setting';
import { DEFAULT_POLICIES, mergePatch, type Policies, PoliciesPatch } from '@/lib/contract/policies';
import { POLICIES_SETTING } from '@/lib/enforcement/rules-cache';
import type { Services } from '@/lib/operation/services';

/** What was changed at run time, one patch over the other. */
export async function storedPatch({ database }: Services): Promise<PoliciesPatch> {
  return PoliciesPatch.parse((await readSetting(database, POLICIES_SETTING)) ?? {});
}

/** The policies in force: the defaults, what `SLUICE_POLICIES` says over them, and the stored patch over both. */
export function effectivePolicies({ config }: Services, stored: PoliciesPatch): Policies {
  return mergePatch(mergePatch(DEFAULT_POLICIES, config.SLUICE_POLICIES ?? {}), stored);
}
