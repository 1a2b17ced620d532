import { headers } from 'next/headers';
import type { ReactNode } from 'react';
import { requireMember } from '@/app/(console)/require-member';
import { SignedInShell } from '@/app/signed-in-shell';
import { loadServices } from '@/lib/process/runtime';

/** Wraps pages for signed-in members. */
export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const [member, { config }, request] = await Promise.all([requireMember(), loadServices(), headers()]);
  return (
    <SignedInShell member={member} config={config} headers={request}>
      {children}
    </SignedInShell>
  );
}
