import type { Metadata } from 'next';
import { AllowlistPage } from '@/components/allowlist/allowlist-page';

export const metadata: Metadata = { title: 'Allowlist' };

export default function Page() {
  return <AllowlistPage />;
}
