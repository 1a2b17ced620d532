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
import type { Database } from '@/lib/db/database';
import { implement } from '@/lib/operation/operation';

const DEFAULTS: SignInSettings = { second_factor: 'optional' };

/** What all sign-ins have to keep to. */
export async function signInSettings({ drizzle }: Database): Promise<SignInSettings> {
  const [row] = await drizzle.select().from(settings).where(eq(settings.name, SIGN_IN_SETTING));
  return row === undefined ? DEFAULTS : SignInSettingsSchema.parse(JSON.parse(row.value));
}

export const getSignInSettings = implement(contractOfGet, ({ services }) => signInSettings(services.database));

export const putSignInSettings = implement(contractOfPut, (context, { body }) => {
  const { database } = context.services;
  return change(context, async (revision) => {
    const row = { value: JSON.stringify(body), updatedAt: context.now, revision };
    return {
      audit: { action: 'sign_in.update', target: SIGN_IN_SETTING, before: await signInSettings(database), after: body },
      statements: [
        database.drizzle
          .insert(settings)
          .values({ name: SIGN_IN_SETTING, ...row })
          .onConflictDoUpdate({ target: settings.name, set: row }),
      ],
      result: body,
    };
  });
});
