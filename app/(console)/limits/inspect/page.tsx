import type { Metadata } from 'next';
import { InspectorPage } from '@/components/limits/inspector/inspector-page';

export const metadata: Metadata = { title: 'Inspector' };

export default function Page() {
  return <InspectorPage />;
}
