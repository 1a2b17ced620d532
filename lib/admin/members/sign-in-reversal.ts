import { sameMembers } from '@/lib/admin/change-kind/record';
import { type Reversal, refuseUnless } from '@/lib/admin/change-kind/reversal';
import { signInSettings, writeSignInSettings } from '@/lib/admin/members/sign-in-settings';
import { SignInSettingsSchema } from '@/lib/contract/second-factor';

const WORDS = { required: 'required of everyone', optional: 'optional' };

/** Takes back a change of what sign-ins have to keep to. */
export const SIGN_IN_REVERSAL: Reversal = {
  role: 'owner',
  async plan(context, { before, after }, revision) {
    const { database } = context.services;
    const members = SignInSettingsSchema.keyof().options;
    refuseUnless(sameMembers(await signInSettings(database), after, members));
    const restored = SignInSettingsSchema.parse(before);
    return {
      statements: [writeSignInSettings(context, restored, revision)],
      restored: `A second factor is ${WORDS[restored.second_factor]} again.`,
    };
  },
};
