import { change } from '@/lib/admin/change';
import { readSetting, writeSetting } from '@/lib/admin/setting';
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

/** Reads the settings that apply to all sign-ins. */
export async function readSignInSettings(database: Database): Promise<SignInSettings> {
  return SignInSettingsSchema.parse((await readSetting(database, SIGN_IN_SETTING)) ?? DEFAULTS);
}

export const getSignInSettings = implement(contractOfGet, ({ services }) => readSignInSettings(services.database));

export const putSignInSettings = implement(contractOfPut, (context, { body: after }) =>
  change(context, async (revision) => ({
    audit: {
      action: 'sign_in.update',
      target: SIGN_IN_SETTING,
      before: await readSignInSettings(context.services.database),
      after,
    },
    statements: [writeSetting(context, SIGN_IN_SETTING, after, revision)],
    result: after,
  })),
);
