import type { Metadata } from 'next';
import { OverridesPage } from '@/components/overrides/overrides-page';

export const metadata: Metadata = { title: 'Overrides' };

export default function Page() {
  return <OverridesPage />;
}
