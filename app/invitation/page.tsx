import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { InvitationPanel } from '@/components/session/invitation-panel';
import { readSession } from '@/lib/auth/session';
import { loadServices } from '@/lib/process/runtime';

export const metadata: Metadata = { title: 'Invitation' };

/** Page where a member sets a password by a one-time link. The server never sees the token in the URL. */
export default async function InvitationPage() {
  const member = await readSession((await headers()).get('cookie'), await loadServices());
  return <InvitationPanel signedInAs={member?.email ?? null} />;
}
