import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { CallbackPage } from '@/components/oauth/callback/callback-page';
import { runtime } from '@/lib/process/runtime';

export const metadata: Metadata = { title: 'Callback' };

/** Public: the lab redirects anyone here, and the page shows only what their own address bar holds. */
export default async function Page({
  searchParams,
}: {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}) {
  const { config } = await runtime();
  if (!config.SLUICE_LAB) notFound();
  const parameters = await searchParams;
  const one = (name: string) => {
    const value = parameters[name];
    return typeof value === 'string' ? value.slice(0, 4_096) : undefined;
  };
  return (
    <CallbackPage
      response={{
        code: one('code'),
        state: one('state'),
        iss: one('iss'),
        error: one('error'),
        error_description: one('error_description'),
      }}
    />
  );
}
