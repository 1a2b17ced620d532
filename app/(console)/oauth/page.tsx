import type { Metadata } from 'next';
import { BuilderPage } from '@/components/oauth/builder/builder-page';
import { requireLabDescription } from './lab-of-request';

export const metadata: Metadata = { title: 'OAuth builder' };

export default async function Page({ searchParams }: { searchParams: Promise<NodeJS.Dict<string | string[]>> }) {
  const [lab, parameters] = await Promise.all([requireLabDescription(), searchParams]);
  const query = new URLSearchParams(
    Object.entries(parameters).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
  return <BuilderPage lab={lab} query={query.toString()} />;
}
