import { effectOf } from '@/lib/admin/preview/effect-of';
import type { ForeseenChange, Preview } from '@/lib/contract/preview';
import type { Context } from '@/lib/operation/context';

/** Planned changes with who would be hit. */
export async function withEffects(context: Context, planned: readonly ForeseenChange[]): Promise<Preview['changes']> {
  const changes: Preview['changes'] = [];
  for (const change of planned) {
    const effect = await effectOf(context, change);
    changes.push(effect === null ? change : { ...change, effect });
  }
  return changes;
}
