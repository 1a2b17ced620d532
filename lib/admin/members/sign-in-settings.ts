import { eq } from 'drizzle-orm';
import { settings } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import { SIGN_IN_SETTING } from '@/lib/auth/session';
import {
  getSignInSettings as contractOfGet,
  putSignInSettings as contractOfPut,
  type SignInSettings,
  SignInSettingsSchema,
} from '@/lib/contract/second-factor';
import type { Database, Statement } from '@/lib/db/database';
import type { Context } from '@/lib/operation/context';
import { implement } from '@/lib/operation/operation';

const DEFAULTS: SignInSettings = { second_factor: 'optional' };

/** What all sign-ins have to keep to. */
export async function signInSettings({ drizzle }: Database): Promise<SignInSettings> {
  const [row] = await drizzle.select().from(settings).where(eq(settings.name, SIGN_IN_SETTING));
  return row === undefined ? DEFAULTS : SignInSettingsSchema.parse(JSON.parse(row.value));
}

export const getSignInSettings = implement(contractOfGet, ({ services }) => signInSettings(services.database));

/** Stores them, as part of a change. */
export function writeSignInSettings({ services, now }: Context, value: SignInSettings, revision: number): Statement {
  const row = { value: JSON.stringify(value), updatedAt: now, revision };
  return services.database.drizzle
    .insert(settings)
    .values({ name: SIGN_IN_SETTING, ...row })
    .onConflictDoUpdate({ target: settings.name, set: row });
}

export const putSignInSettings = implement(contractOfPut, (context, { body }) =>
  change(context, async (revision) => ({
    audit: {
      action: 'sign_in.update',
      target: SIGN_IN_SETTING,
      before: await signInSettings(context.services.database),
      after: body,
    },
    statements: [writeSignInSettings(context, body, revision)],
    result: body,
  })),
);
