import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { explainRefusal } from '@/components/session/refusals';
import { SignInPanel } from '@/components/session/sign-in-panel';
import { listConfiguredProviders } from '@/lib/auth/next-auth/providers';
import { listOwnOrigins } from '@/lib/auth/same-origin';
import { readSession } from '@/lib/auth/session';
import { parseOwnPath } from '@/lib/http/own-path';
import { loadServices } from '@/lib/process/runtime';

export const metadata: Metadata = { title: 'Sign in' };

/** Parses whole seconds, up to an hour. */
function parseSeconds(value: string | string[] | undefined): number | null {
  return typeof value === 'string' && /^\d{1,4}$/.test(value) ? Math.min(Number(value), 3600) : null;
}

export default async function SignInPage({ searchParams }: { searchParams: Promise<NodeJS.Dict<string | string[]>> }) {
  const { callbackUrl, error, wait } = await searchParams;
  const target = parseOwnPath(callbackUrl);
  const services = await loadServices();
  const head = await headers();
  if (await readSession(head.get('cookie'), services)) redirect(target);
  const request = { method: 'GET', url: 'http://localhost/sign-in', headers: head };
  return (
    <SignInPanel
      providers={listConfiguredProviders(services.config)}
      target={target}
      refusal={typeof error === 'string' ? explainRefusal(error, parseSeconds(wait)) : null}
      origins={listOwnOrigins(request, services.config)}
    />
  );
}
