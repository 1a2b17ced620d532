import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import type { ReactNode } from 'react';
import { ConsoleShell } from '@/components/shell/console-shell';
import { configuredProviders } from '@/lib/auth/next-auth/providers';
import { readSession } from '@/lib/auth/session';
import { clientAddress } from '@/lib/http/client-address';
import { PAGE_HEADER } from '@/lib/http/page-headers';
import { runtime } from '@/lib/process/runtime';

/** For signed-in members; anyone else is redirected to the sign-in page, and back afterwards; so are members
 * who have to set up a second factor first. */
export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const [services, request] = await Promise.all([runtime(), headers()]);
  const member = await readSession(request.get('cookie'), services);
  const here = new URLSearchParams({ callbackUrl: request.get(PAGE_HEADER) ?? '/' });
  if (!member) redirect(`/sign-in?${here}`);
  if (member.mustSetUp) redirect(`/sign-in/second-factor?${here}`);
  const { config } = services;
  const address = clientAddress(request, config)?.text ?? null;
  return (
    <ConsoleShell
      member={member}
      address={address}
      lab={config.SLUICE_LAB}
      providers={configuredProviders(config).map(({ name }) => name)}
      demo={config.SLUICE_DEMO}
    >
      {children}
    </ConsoleShell>
  );
}
