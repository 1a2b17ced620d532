import type { Metadata } from 'next';
import { KeyPage } from '@/components/keys/key-page';

export const metadata: Metadata = { title: 'Key' };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  return <KeyPage id={(await params).id} />;
}
