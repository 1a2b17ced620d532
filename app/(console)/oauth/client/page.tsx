import type { Metadata } from 'next';
import { ClientPage } from '@/components/oauth/client/client-page';
import { readPublicOrigin } from '../lab-of-request';

export const metadata: Metadata = { title: 'OAuth client' };

export default async function Page({ searchParams }: { searchParams: Promise<NodeJS.Dict<string | string[]>> }) {
  const [origin, { environment }] = await Promise.all([readPublicOrigin(), searchParams]);
  const query = typeof environment === 'string' ? new URLSearchParams({ environment }).toString() : '';
  return <ClientPage origin={origin} query={query} />;
}
