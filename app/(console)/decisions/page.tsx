import type { Metadata } from 'next';
import { DecisionsPage } from '@/components/decisions/decisions-page';

export const metadata: Metadata = { title: 'Decisions' };

export default function Page() {
  return <DecisionsPage />;
}
