import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import type { ReactNode } from 'react';
import { ConsoleShell } from '@/components/shell/console-shell';
import { readSession } from '@/lib/auth/session';
import { clientAddress } from '@/lib/http/client-address';
import { PAGE_HEADER } from '@/lib/http/page-headers';
import { runtime } from '@/lib/process/runtime';

/** For signed-in members; anyone else is redirected to the sign-in page, and back afterwards. */
export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const [services, request] = await Promise.all([runtime(), headers()]);
  const member = await readSession(request.get('cookie'), services);
  if (!member) redirect(`/sign-in?${new URLSearchParams({ callbackUrl: request.get(PAGE_HEADER) ?? '/' })}`);
  const { config } = services;
  const address = clientAddress(request, config)?.text ?? null;
  return (
    <ConsoleShell member={member} address={address} lab={config.SLUICE_LAB} demo={config.SLUICE_DEMO}>
      {children}
    </ConsoleShell>
  );
}
