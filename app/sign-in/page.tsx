import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { SignInPanel } from '@/components/sign-in/sign-in-panel';
import { configuredProviders } from '@/lib/auth/next-auth-options';
import { readSession } from '@/lib/auth/session';
import { runtime } from '@/lib/runtime';

export const metadata: Metadata = { title: 'Sign in' };

/** A path of this origin; anything else leads to the overview. */
function ownPath(value: string | string[] | undefined): string {
  return typeof value === 'string' && /^\/(?![/\\])/.test(value) && !value.startsWith('/sign-in') ? value : '/';
}

export default async function SignInPage({
  searchParams,
}: {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}) {
  const { callbackUrl, error } = await searchParams;
  const target = ownPath(callbackUrl);
  const services = await runtime();
  if (await readSession((await headers()).get('cookie'), services)) redirect(target);
  return (
    <SignInPanel providers={configuredProviders(services.config)} target={target} refused={typeof error === 'string'} />
  );
}
