import type { Metadata } from 'next';
import { AuditsPage } from '@/components/oauth/assessments/assessments-page';
import { labOfRequest } from '../lab-of-request';

export const metadata: Metadata = { title: 'OAuth audits' };

export default async function Page() {
  return <AuditsPage lab={await labOfRequest()} />;
}
