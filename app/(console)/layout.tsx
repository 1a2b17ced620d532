import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import type { ReactNode } from 'react';
import { SignedInShell } from '@/app/signed-in-shell';
import { readSession } from '@/lib/auth/session';
import { PAGE_HEADER } from '@/lib/http/page-headers';
import { loadServices } from '@/lib/process/runtime';

/**
 * Wraps pages for signed-in members. Everyone else is redirected to the sign-in page and back afterwards. So are
 * members who must set up a second factor first.
 */
export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const [services, request] = await Promise.all([loadServices(), headers()]);
  const member = await readSession(request.get('cookie'), services);
  const query = new URLSearchParams({ callbackUrl: request.get(PAGE_HEADER) ?? '/' });
  if (!member) redirect(`/sign-in?${query}`);
  if (member.mustSetUp) redirect(`/sign-in/second-factor?${query}`);
  return (
    <SignedInShell member={member} config={services.config} headers={request}>
      {children}
    </SignedInShell>
  );
}
