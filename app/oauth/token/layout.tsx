import { headers } from 'next/headers';
import type { ReactNode } from 'react';
import { SignedInShell } from '@/app/signed-in-shell';
import { OAuthNav } from '@/components/oauth/oauth-nav';
import { Wordmark } from '@/components/shell/wordmark';
import { buttonVariants } from '@/components/ui/button-variants';
import { Link } from '@/components/ui/link';
import { readSession } from '@/lib/auth/session';
import { loadServices } from '@/lib/process/runtime';

/** Open to everyone. Members see the console around it, others a plain header. */
export default async function TokenLayout({ children }: { children: ReactNode }) {
  const [services, request] = await Promise.all([loadServices(), headers()]);
  const member = await readSession(request.get('cookie'), services);
  if (member && !member.mustSetUp) {
    return (
      <SignedInShell member={member} config={services.config} headers={request}>
        <OAuthNav />
        {children}
      </SignedInShell>
    );
  }
  return (
    <div className="min-h-dvh">
      <header className="border-b bg-sidebar">
        <div className="mx-auto flex h-14 max-w-[112rem] items-center gap-3 px-8 max-md:px-4">
          <Wordmark />
          <span className="text-sm text-muted-foreground max-sm:sr-only">Token workbench</span>
          <Link href="/sign-in" className={buttonVariants({ variant: 'outline', className: 'ml-auto' })}>
            Sign in
          </Link>
        </div>
      </header>
      <main className="mx-auto flex max-w-[112rem] flex-col gap-5 px-8 py-7 max-md:px-4 max-md:py-5">{children}</main>
    </div>
  );
}
