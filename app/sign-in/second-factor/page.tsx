import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { RequiredSecondFactor } from '@/components/session/required-second-factor';
import { readSession } from '@/lib/auth/session';
import { parseOwnPath } from '@/lib/http/own-path';
import { loadServices } from '@/lib/process/runtime';

export const metadata: Metadata = { title: 'Second factor' };

/** Page for members who must set up a second factor. */
export default async function Page({ searchParams }: { searchParams: Promise<NodeJS.Dict<string | string[]>> }) {
  const target = parseOwnPath((await searchParams).callbackUrl);
  const member = await readSession((await headers()).get('cookie'), await loadServices());
  if (!member) redirect('/sign-in');
  if (!member.mustSetUp) redirect(target);
  return <RequiredSecondFactor email={member.email} target={target} />;
}
