import { grants } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import { requireValidExpiry } from '@/lib/admin/expiry';
import { buildGrant, buildGrantRecord, buildPublicGrant } from '@/lib/admin/grants/row';
import { requireRegisteredKey } from '@/lib/admin/keys/row';
import { readLongestLife, requireAllowedLife } from '@/lib/admin/policies/longest-life';
import { addGrant as contract } from '@/lib/contract/grants';
import { implement } from '@/lib/operation/operation';

/** Adds to the monthly limit of a key, from the next decision on, until the grant ends. */
export const addGrant = implement(contract, (context, { body }) => {
  const { database } = context.services;
  const { requests, until, reason } = body;
  requireValidExpiry(until, context.now, 'until');
  return change(context, async (revision) => {
    requireAllowedLife(await readLongestLife(context.services), until, context.now, 'until');
    const key = await requireRegisteredKey(database, body.api_key);
    const row = buildGrant(context, revision, { apiKeyId: key.id, requests, reason, until, managed: false });
    return {
      audit: buildGrantRecord('add', row, reason),
      statements: [database.drizzle.insert(grants).values(row)],
      result: buildPublicGrant(row, key.name, context.now),
    };
  });
});
