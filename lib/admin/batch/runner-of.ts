import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { removeAllowlistEntry } from '@/lib/admin/allowlist/remove';
import { removeAssessment } from '@/lib/admin/assessments/remove';
import { extendAllowlistEntry, extendApiKey, extendGrant, extendOverride } from '@/lib/admin/batch/extensions';
import type { BatchItem, ItemRunner } from '@/lib/admin/batch/item-runner';
import { addGrant } from '@/lib/admin/grants/add';
import { removeGrant } from '@/lib/admin/grants/remove';
import { changeTier } from '@/lib/admin/keys/change-tier';
import { resetQuota } from '@/lib/admin/keys/reset-quota';
import { revokeApiKey } from '@/lib/admin/keys/revoke';
import { resetCounters } from '@/lib/admin/limits/reset-counters';
import { removeMember } from '@/lib/admin/members/remove';
import { putOverride } from '@/lib/admin/overrides/add';
import { removeOverride } from '@/lib/admin/overrides/remove';
import { revokeToken } from '@/lib/admin/tokens/revoke';
import { undoChange } from '@/lib/admin/undo/undo';
import { removeWebhook } from '@/lib/admin/webhooks/remove';
import { replayDelivery } from '@/lib/admin/webhooks/replay';
import type { BATCH_CALLS, BatchOperation } from '@/lib/contract/batch';
import type { RoleAccess } from '@/lib/contract/operation';
import { ApiError } from '@/lib/http/api-error';
import { invalidField, parseInput } from '@/lib/http/input';
import type { Operation } from '@/lib/operation/operation';

/** A single call as a runner of items: what its path, its query and its body take stands side by side in an item. */
function callOf(operation: Operation & { access: RoleAccess }): ItemRunner {
  const inPath = new Set([...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]));
  const reasonInQuery = operation.reason === 'query';
  return {
    access: operation.access,
    status: operation.response.status,
    runItem: async (context, item) => {
      const members = Object.entries(item);
      const pick = (place: 'path' | 'query' | 'body') =>
        Object.fromEntries(
          members.filter(([name]) => {
            const belongs = inPath.has(name) ? 'path' : name === 'reason' && reasonInQuery ? 'query' : 'body';
            return belongs === place;
          }),
        );
      const params =
        operation.params === undefined ? {} : parseInput(operation.params, asWritten(pick('path')), 'path');
      const query = operation.query === undefined ? {} : parseInput(operation.query, pick('query'), 'query');
      const rest = pick('body');
      const [unknown] = Object.keys(rest);
      if (operation.body === undefined && unknown !== undefined)
        throw invalidField('item', 'has a member that is not known');
      const body = operation.body === undefined ? undefined : parseInput(operation.body.schema, rest, 'body');
      const { reason = null } = query as { reason?: string };
      return operation.run({ ...context, reason }, { params, query, body });
    },
  };
}

/** What a path holds is text: `{"seq": 42}` is `/v1/admin/audit/42/undo`. */
function asWritten(members: BatchItem): BatchItem {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, typeof value === 'number' ? String(value) : value]),
  );
}

/** Removes a member as the single call does, but nobody removes themselves among others: by it they would lose the rest. */
const removeOther: typeof removeMember.run = (context, input) => {
  if (context.actor.id === `member:${input.params.id}`)
    throw new ApiError('conflict', 'Nobody removes themselves in a batch.');
  return removeMember.run(context, input);
};

const CALLS = {
  addAllowlistEntry,
  removeAllowlistEntry,
  putOverride,
  removeOverride,
  addGrant,
  removeGrant,
  changeTier,
  resetCounters,
  resetQuota,
  revokeApiKey,
  revokeToken,
  removeMember: { ...removeMember, run: removeOther },
  removeAssessment,
  removeWebhook,
  replayDelivery,
  undoChange,
} satisfies Record<(typeof BATCH_CALLS)[number], unknown>;

const EXTENSIONS = { extendAllowlistEntry, extendOverride, extendGrant, extendApiKey };

/** What does the items of a batch. */
export function runnerOf(operation: BatchOperation): ItemRunner {
  if (operation in EXTENSIONS) return EXTENSIONS[operation as keyof typeof EXTENSIONS];
  return callOf(CALLS[operation as keyof typeof CALLS] as unknown as Operation & { access: RoleAccess });
}
