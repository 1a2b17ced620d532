import { setImmediate } from 'node:timers/promises';
import { effectOf } from '@/lib/admin/preview/effect-of';
import type { Preview } from '@/lib/contract/preview';
import type { AddEffects } from '@/lib/operation/endpoint';

/** Says of planned changes whom they would hit, where that is known. Decisions are made between. */
export const addEffects: AddEffects = async (context, planned) => {
  const changes: Preview['changes'] = [];
  for (const change of planned) {
    const effect = await effectOf(context, change);
    changes.push(effect === null ? change : { ...change, effect });
    if (planned.length > 1) await setImmediate();
  }
  return changes;
};
