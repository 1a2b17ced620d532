import type { Metadata } from 'next';
import { CallbackPage } from '@/components/oauth/callback/callback-page';
import { loadServices } from '@/lib/process/runtime';

export const metadata: Metadata = { title: 'Callback' };

/** Public page. Servers redirect anyone here, and it shows only what the visitor's own URL contains. */
export default async function Page({ searchParams }: { searchParams: Promise<NodeJS.Dict<string | string[]>> }) {
  const [{ config }, parameters] = await Promise.all([loadServices(), searchParams]);
  const readParameter = (name: string) => {
    const value = parameters[name];
    return typeof value === 'string' ? value.slice(0, 4_096) : undefined;
  };
  return (
    <CallbackPage
      hasLab={config.SLUICE_LAB}
      response={{
        code: readParameter('code'),
        state: readParameter('state'),
        iss: readParameter('iss'),
        error: readParameter('error'),
        error_description: readParameter('error_description'),
      }}
    />
  );
}
