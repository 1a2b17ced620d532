import type { Metadata } from 'next';
import { CallbackPage } from '@/components/oauth/callback/callback-page';
import { runtime } from '@/lib/process/runtime';

export const metadata: Metadata = { title: 'Callback' };

/** Public page. Servers redirect anyone here, and it shows only what the visitor's own URL contains. */
export default async function Page({ searchParams }: { searchParams: Promise<NodeJS.Dict<string | string[]>> }) {
  const [{ config }, parameters] = await Promise.all([runtime(), searchParams]);
  const parameter = (name: string) => {
    const value = parameters[name];
    return typeof value === 'string' ? value.slice(0, 4_096) : undefined;
  };
  return (
    <CallbackPage
      hasLab={config.SLUICE_LAB}
      response={{
        code: parameter('code'),
        state: parameter('state'),
        iss: parameter('iss'),
        error: parameter('error'),
        error_description: parameter('error_description'),
      }}
    />
  );
}
