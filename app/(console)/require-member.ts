import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import type { SignedInMember } from '@/components/shell/member';
import { readSession } from '@/lib/auth/session';
import { PAGE_HEADER } from '@/lib/http/page-headers';
import { runtime } from '@/lib/process/runtime';

/** The signed-in member; anyone else is redirected to the sign-in page, and back afterwards. */
export async function requireMember(): Promise<SignedInMember> {
  const request = await headers();
  const member = await readSession(request.get('cookie'), await runtime());
  if (!member) redirect(`/sign-in?${new URLSearchParams({ callbackUrl: request.get(PAGE_HEADER) ?? '/' })}`);
  return member;
}
