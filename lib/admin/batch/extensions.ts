import { and, eq, gt, isNull } from 'drizzle-orm';
import { grants } from '@/drizzle/schema';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { ALLOWLIST_ENTRIES } from '@/lib/admin/allowlist/row';
import type { ItemRunner } from '@/lib/admin/batch/item-runner';
import { change } from '@/lib/admin/change';
import { findActive } from '@/lib/admin/exception-kind/exception-kind';
import { requireValidExpiry } from '@/lib/admin/expiry';
import { buildGrant, buildGrantRecord, buildPublicGrant } from '@/lib/admin/grants/row';
import { requireRegisteredKey } from '@/lib/admin/keys/row';
import { updateApiKey } from '@/lib/admin/keys/update';
import { putOverride } from '@/lib/admin/overrides/add';
import { OVERRIDES, parseNumbers } from '@/lib/admin/overrides/row';
import { readLongestLife, requireAllowedLife } from '@/lib/admin/policies/longest-life';
import { ExtensionItems } from '@/lib/contract/batch';
import { ApiError } from '@/lib/http/api-error';
import { parseInput } from '@/lib/http/input';
import type { Context } from '@/lib/operation/context';

/** Changes the expiry of an allowlist entry through the operation that edits it. */
export const extendAllowlistEntry: ItemRunner = {
  access: 'operator',
  status: 200,
  async runItem(context, item) {
    const { type, identifier, expires_at, reason } = parseInput(ExtensionItems.extendAllowlistEntry, item, 'body');
    const target = { type, identifier };
    const row = await findActive(context, ALLOWLIST_ENTRIES, target);
    const body = { ...target, reason: reason ?? row.reason, expires_at };
    return addAllowlistEntry.run(context, { params: {}, query: {}, body });
  },
};

/** Changes the expiry of an override through the operation that edits it. */
export const extendOverride: ItemRunner = {
  access: 'operator',
  status: 200,
  async runItem(context, item) {
    const { expires_at, reason, ...target } = parseInput(ExtensionItems.extendOverride, item, 'body');
    const row = await findActive(context, OVERRIDES, target);
    const { limit, windowSeconds: window_seconds, numbers } = row;
    const body = {
      ...{ ...target, numbers: { limit, window_seconds, ...parseNumbers(numbers) } },
      ...{ reason: reason ?? row.reason, expires_at },
    };
    return putOverride.run(context, { params: {}, query: {}, body });
  },
};

/** Changes the expiry of a key through the operation that edits it. */
export const extendApiKey: ItemRunner = {
  access: 'owner',
  status: 200,
  async runItem(context, item) {
    const { id, expires_at, reason = null } = parseInput(ExtensionItems.extendApiKey, item, 'body');
    return updateApiKey.run({ ...context, reason }, { params: { id }, query: {}, body: { expires_at } });
  },
};

/** Changes the end of a grant. No operation edits a grant, so one transaction removes it and adds it again. */
export const extendGrant: ItemRunner = {
  access: 'operator',
  status: 200,
  async runItem(context: Context, item) {
    const { database } = context.services;
    const { id, until, reason = null } = parseInput(ExtensionItems.extendGrant, item, 'body');
    requireValidExpiry(until, context.now, 'until');
    return change({ ...context, reason }, async (revision) => {
      requireAllowedLife(await readLongestLife(context.services), until, context.now, 'until');
      const active = and(eq(grants.id, id), isNull(grants.removedAt), gt(grants.until, context.now));
      const [row] = await database.drizzle.select().from(grants).where(active);
      if (row === undefined) throw new ApiError('not_found', 'No active grant matches.');
      const key = await requireRegisteredKey(database, row.apiKeyId);
      const extended = buildGrant(context, revision + 1, { ...row, until });
      return {
        audit: [buildGrantRecord('remove', row), buildGrantRecord('add', extended)],
        statements: [
          database.drizzle.update(grants).set({ removedAt: context.now, revision }).where(eq(grants.id, id)),
          database.drizzle.insert(grants).values(extended),
        ],
        result: buildPublicGrant(extended, key.name, context.now),
      };
    });
  },
};
