import { expect, it } from 'vitest';
import type { AdminTokenId, ApiKeyId, MemberId, UserId } from '@/lib/ids';

it('ids of different kinds are told apart by the compiler', () => {
  const key: ApiKeyId = '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69';
  // @ts-expect-error A key is no member.
  const member: MemberId = key;
  // @ts-expect-error A member is no user that requests count for.
  const user: UserId = member;
  // @ts-expect-error A user is no token.
  const token: AdminTokenId = user;
  const text: string = token;
  expect(text).toBe(key);
});
