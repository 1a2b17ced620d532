import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import type { Member } from '@/components/shell/member';
import { readSession } from '@/lib/auth/session';
import { runtime } from '@/lib/runtime';

/** The person who is signed in; anyone else is sent to the sign-in page. */
export async function requireMember(): Promise<Member> {
  const member = await readSession((await headers()).get('cookie'), await runtime());
  if (!member) redirect('/sign-in');
  return member;
}
