import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { refusalText } from '@/components/session/refusals';
import { SignInPanel } from '@/components/session/sign-in-panel';
import { configuredProviders } from '@/lib/auth/next-auth/providers';
import { ownOrigins } from '@/lib/auth/same-origin';
import { readSession } from '@/lib/auth/session';
import { ownPath } from '@/lib/http/own-path';
import { runtime } from '@/lib/process/runtime';

export const metadata: Metadata = { title: 'Sign in' };

/** Parses whole seconds, up to an hour. */
function seconds(value: string | string[] | undefined): number | null {
  return typeof value === 'string' && /^\d{1,4}$/.test(value) ? Math.min(Number(value), 3600) : null;
}

export default async function SignInPage({ searchParams }: { searchParams: Promise<NodeJS.Dict<string | string[]>> }) {
  const { callbackUrl, error, wait } = await searchParams;
  const target = ownPath(callbackUrl);
  const services = await runtime();
  const head = await headers();
  if (await readSession(head.get('cookie'), services)) redirect(target);
  const request = { method: 'GET', url: 'http://localhost/sign-in', headers: head };
  return (
    <SignInPanel
      providers={configuredProviders(services.config)}
      target={target}
      refusal={typeof error === 'string' ? refusalText(error, seconds(wait)) : null}
      origins={ownOrigins(request, services.config)}
    />
  );
}
