import { findIfActive } from '@/lib/admin/expiry';
import { ALLOWLIST_SECTION, OVERRIDES_SECTION } from '@/lib/admin/state/entries';
import { buildGrantState } from '@/lib/admin/state/grants';
import { buildKeyState } from '@/lib/admin/state/keys';
import { leaveOutRemoved } from '@/lib/admin/state/leave-out-removed';
import { buildLimitState } from '@/lib/admin/state/limits';
import { readSnapshot } from '@/lib/admin/state/snapshot';
import { readState as contract } from '@/lib/contract/state';
import { buildRevisionTag } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

/** Exports the rules that have an effect, as a document. Applying it changes nothing. */
export const readState = implement(contract, async ({ services, now }) => {
  const snapshot = await readSnapshot(services, now);
  const names = new Set(snapshot.limits.map(({ name }) => name));
  const { routeRules, keys, overrides } = leaveOutRemoved(snapshot, (name) => names.has(name));
  const isActive = (row: { expiresAt: number | null }) => findIfActive(row, now) !== undefined;
  const document = {
    version: 1 as const,
    policies: snapshot.policies,
    limits: snapshot.limits.map(buildLimitState),
    route_rules: routeRules,
    api_keys: keys.map(buildKeyState),
    grants: snapshot.grants.map(buildGrantState),
    allowlist: snapshot.allowlist.filter(isActive).map(ALLOWLIST_SECTION.toDocumentEntry),
    overrides: overrides.filter(isActive).map(OVERRIDES_SECTION.toDocumentEntry),
    alerts: snapshot.alerts,
  };
  return new Reply(document, { headers: { ETag: buildRevisionTag(snapshot.revision) } });
});
