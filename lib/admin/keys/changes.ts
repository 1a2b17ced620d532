import { eq } from 'drizzle-orm';
import { z } from 'zod';
import { apiKeys } from '@/drizzle/schema';
import type { ChangeKinds } from '@/lib/admin/change-kind/change-kind';
import {
  findPastEnd,
  haveSameMembers,
  parseTime,
  readMembers,
  type UndoneRecord,
} from '@/lib/admin/change-kind/record';
import { buildResetReversal } from '@/lib/admin/change-kind/reset';
import { type Reversal, refuse, refuseUnless } from '@/lib/admin/change-kind/reversal';
import {
  describeCreationEffect,
  describeRevocationEffect,
  describeRotationEffect,
  describeTierEffect,
  describeUpdateEffect,
} from '@/lib/admin/keys/effects';
import { buildApiKey, moveMonths, requireFreeName, requireOverageTier, writeKeyLimits } from '@/lib/admin/keys/row';
import { ClientTypeSchema, QuotaTierSchema } from '@/lib/contract/fields/enumerations';
import { ApiKeyIdSchema } from '@/lib/contract/fields/ids';
import { KeyLimitsSchema } from '@/lib/contract/fields/named-limit';
import type { Database } from '@/lib/db/database';
import type { UserId } from '@/lib/ids';

async function findChangedKey({ drizzle }: Database, { target }: UndoneRecord) {
  const [row] = await drizzle
    .select()
    .from(apiKeys)
    .where(eq(apiKeys.id, ApiKeyIdSchema.parse(target)));
  return row ?? refuse('The API key no longer exists.');
}

const TierSettings = z.object({ tier: QuotaTierSchema, overage_allowed: z.boolean() });

/** Undoes a change of a key's tier. */
const TIER: Reversal = {
  role: 'operator',
  async plan({ services }, record, revision) {
    const { drizzle } = services.database;
    const row = await findChangedKey(services.database, record);
    refuseUnless(
      row.revokedAt === null && haveSameMembers(buildApiKey(row), record.after, ['tier', 'overage_allowed']),
    );
    const { tier, overage_allowed: overageAllowed } = TierSettings.parse(record.before);
    return {
      statements: [drizzle.update(apiKeys).set({ tier, overageAllowed, revision }).where(eq(apiKeys.id, row.id))],
      restored: `The key ${row.name} has the tier ${tier} again.`,
    };
  },
};

const Settings = z.object({
  name: z.string(),
  client_type: ClientTypeSchema,
  user_id: z.custom<UserId>((value) => typeof value === 'string').nullable(),
  expires_at: z.string().nullable(),
  overage_allowed: z.boolean(),
  // Records of earlier versions lack it.
  month_starts_on: z.int().optional(),
  // Records of earlier versions lack it.
  limits: KeyLimitsSchema.optional(),
  revoked_at: z.string().nullable(),
});

/** Undoes an edit or a revocation. The hash of the secret is kept, so the same secret works again. */
const KEY: Reversal = {
  role: 'owner',
  obstacle: ({ before, after }, now) => {
    const ended = haveSameMembers(before, after, ['expires_at', 'revoked_at'])
      ? null
      : findPastEnd(before, 'expires_at', now);
    return ended === null ? null : `The restored key would have expired at ${ended}.`;
  },
  async plan({ services, now }, record, revision) {
    const { drizzle } = services.database;
    const row = await findChangedKey(services.database, record);
    const recorded = readMembers(record.after);
    const names = Settings.keyof().options.filter((name) => name in recorded);
    refuseUnless(haveSameMembers(buildApiKey(row), recorded, names));
    const { name, client_type: clientType, user_id: userId, ...before } = Settings.parse(record.before);
    const { overage_allowed: overageAllowed } = before;
    const revokedAt = parseTime(before.revoked_at);
    requireOverageTier(row.tier, overageAllowed);
    if (revokedAt === null) await requireFreeName(services.database, name, row.id);
    const edited = {
      name,
      clientType,
      userId,
      overageAllowed,
      ...moveMonths(row, before.month_starts_on ?? row.monthStartsOn, now),
      limits: before.limits === undefined ? row.limits : writeKeyLimits(before.limits),
      expiresAt: parseTime(before.expires_at),
      revokedAt,
      revision,
    };
    return {
      statements: [drizzle.update(apiKeys).set(edited).where(eq(apiKeys.id, row.id))],
      restored:
        row.revokedAt === null ? `The key ${name} was restored.` : `The key ${name} works again, with the same secret.`,
    };
  },
};

export const KEY_CHANGES: ChangeKinds<'api_key' | 'quota'> = {
  'api_key.create': {
    thing: 'key',
    reversal: 'The secret of a new key is known already. Revoke the key instead.',
    effect: describeCreationEffect,
  },
  'api_key.update': { thing: 'key', reversal: KEY, effect: describeUpdateEffect },
  'api_key.rotate': {
    thing: 'key',
    reversal: 'The new secret is known already. Rotate again, or revoke the key.',
    effect: describeRotationEffect,
  },
  'api_key.revoke': { thing: 'key', reversal: KEY, effect: describeRevocationEffect },
  'quota.tier': { thing: 'key', reversal: TIER, effect: describeTierEffect },
  'quota.reset': {
    thing: 'usage',
    reversal: buildResetReversal(() => 'What the key had used before the reset counts again.'),
  },
  'quota.threshold': { reversal: 'It changed nothing that can be undone.' },
};
