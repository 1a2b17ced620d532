import { findChangeKind } from '@/lib/admin/changes';
import type { Preview } from '@/lib/contract/preview';
import type { AddEffects } from '@/lib/operation/endpoint';
import { takeTurn } from '@/lib/take-turn';

/**
 * Adds the effect of each planned change, as recorded traffic shows it. Yields to decisions between changes.
 */
export const addEffects: AddEffects = async (context, planned) => {
  const changes: Preview['changes'] = [];
  for (const change of planned) {
    const effect = await findChangeKind(change.action)?.effect?.(context, change);
    changes.push(effect == null ? change : { ...change, effect });
    if (planned.length > 1) await takeTurn();
  }
  return changes;
};
