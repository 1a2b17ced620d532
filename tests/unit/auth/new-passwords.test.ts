import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { acceptInvitation } from '@/lib/admin/members/accept-invitation';
import { inviteMember } from '@/lib/admin/members/invite';
import { putSignInSettings } from '@/lib/admin/members/sign-in-settings';
import { updateMember, updateNamedMember } from '@/lib/admin/members/update';
import { changeOwnPassword } from '@/lib/admin/session/change-password';
import { findPasswordFault } from '@/lib/auth/password-strength';
import { PasswordInput } from '@/lib/contract/fields/password';
import { createSystemContext } from '@/lib/operation/context';
import { type AuthServices, authServices } from '@/tests/fixtures/auth-services';

const STRONG = 'correct horse battery staple';
const EMAIL = 'ada.lovelace@example.com';

/** Passwords that are long enough as the only factor, and easy to guess. */
const COMMON = [
  'passwordpassword',
  'Password1234567',
  'P@ssw0rdP@ssw0rd',
  '123456789012345',
  'aaaaaaaaaaaaaaaaaaaa',
  'abcabcabcabcabcabc',
  'abcdefghijklmnop',
  'qwertyuiopasdfg',
  '1qaz2wsx3edc4rfv',
  'letmeinletmeinletmein',
  'trustno1trustno1',
  'Sluice1234567890',
  'sluicesluicesluice',
  `${EMAIL}1`,
  'ｐａｓｓｗｏｒｄｐａｓｓｗｏｒｄ',
];
const SHORT = ['', 'short', 'password', 'hunter2hunter2', 'gT7#qL9!vX2&', '🐎🔋📎🐴🌵🎲🧲🪁'];
const LONG = 'x y z w'.repeat(147);

/** Passwords without rules of composition, among them one of 64 characters. */
const ACCEPTED = [
  STRONG,
  'ravines untidily paging',
  '947203856120473',
  'ZXQWVKJHPLMNRTS',
  '🐎🔋📎🐴🌵🎲🧲🪁🧵🛶🥁🌋🪗🧯🫑',
  STRONG.repeat(3).slice(0, 64),
];

const alone = { email: EMAIL, isOnlyFactor: true };

describe('a new password', () => {
  it.each([...SHORT, ...COMMON, LONG])('is refused: %j', async (password) => {
    expect(await findPasswordFault(password, alone)).toMatch(/^(must have|is too easy)/);
  });

  it.each(ACCEPTED)('is accepted, whatever its characters are: %j', async (password) => {
    expect(PasswordInput.safeParse(password).success).toBe(true);
    expect(await findPasswordFault(password, alone)).toBeNull();
  });

  it('may have twelve characters with a second factor, and no fewer', async () => {
    const use = { email: EMAIL, isOnlyFactor: false };
    expect(await findPasswordFault('gT7#qL9!vX2&', use)).toBeNull();
    expect(await findPasswordFault('gT7#qL9!vX2', use)).toBe('must have at least 12 characters');
    expect(await findPasswordFault('gT7#qL9!vX2&', alone)).toMatch(/^must have at least 15 characters/);
  });
});

describe('every place where a member sets a password', () => {
  let auth: AuthServices;
  let ada: { id: string };
  beforeEach(async () => {
    auth = await authServices();
    onTestFinished(() => auth[Symbol.dispose]());
    ada = await auth.member(EMAIL, 'owner', STRONG);
  });

  const nothing = { params: {}, query: {} };
  const field = async (work: () => Promise<unknown>) =>
    work().then(
      () => null,
      (error: { code?: string; details?: { path: string }[] }) => `${error.code} ${error.details?.[0]?.path}`,
    );

  const PLACES: Record<string, (password: string) => Promise<string | null>> = {
    invite: (password) =>
      field(() =>
        inviteMember.run(auth.context(), {
          ...nothing,
          body: { email: `m${Math.random()}@example.com`, role: 'viewer', password },
        }),
      ),
    'update by id': (password) =>
      field(() => updateMember.run(auth.context(), { query: {}, params: { id: ada.id }, body: { password } })),
    'update by address': (password) =>
      field(() => updateNamedMember.run(auth.context(), { ...nothing, body: { email: EMAIL, password } })),
    'own password': (password) => {
      const actor = { id: `member:${ada.id}`, name: EMAIL, role: 'owner' as const };
      const body = { current_password: STRONG, new_password: password };
      return field(() => changeOwnPassword.run({ ...auth.context(), actor }, { ...nothing, body }));
    },
    invitation: async (password) => {
      const made = (await inviteMember.run(auth.context(), {
        ...nothing,
        body: { email: `i${Math.random()}@example.com`, role: 'viewer' },
      })) as { invitation: { url: string } };
      const token = new URL(made.invitation.url).hash.slice(1);
      const used = { token, password, code: undefined, address: null, deviceCookie: null };
      const outcome = await acceptInvitation(createSystemContext(auth.services), used);
      return outcome.kind === 'weak' ? 'invalid_request password' : null;
    },
  };

  it.each(Object.entries(PLACES))('refuses weak ones, and accepts a strong one: %s', async (name, set) => {
    const refused = name === 'own password' ? 'invalid_request new_password' : 'invalid_request password';
    for (const password of ['passwordpassword', '123456789012345', 'gT7#qL9!vX2&'])
      expect(await set(password)).toBe(refused);
    expect(await set('ravines untidily paging')).toBeNull();
  });

  it('accepts twelve characters where a second factor is required of all', async () => {
    await putSignInSettings.run(auth.context(), { ...nothing, body: { second_factor: 'required' } });
    expect(await PLACES.invite?.('gT7#qL9!vX2&')).toBeNull();
    expect(await PLACES.invite?.('passwordpassword')).toBe('invalid_request password');
  });
});
