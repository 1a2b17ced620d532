import { readSignInSettings } from '@/lib/admin/members/sign-in-settings';
import type { PasswordUse } from '@/lib/auth/password-strength';
import { findSecondFactor } from '@/lib/auth/second-factor/ask-second-factor';
import type { Database } from '@/lib/db/database';
import type { MemberId } from '@/lib/ids';

/** Reads whether a member signs in with only a password. @param member `id` is null for a new member */
export async function readPasswordUse(
  database: Database,
  { id, email }: { id: MemberId | null; email: string },
): Promise<PasswordUse> {
  if ((await readSignInSettings(database)).second_factor === 'required') return { email, isOnlyFactor: false };
  const factor = id === null ? null : await findSecondFactor(database, id);
  return { email, isOnlyFactor: factor?.confirmedAt == null };
}
