import type { Metadata } from 'next';
import { AssessmentsPage } from '@/components/oauth/assessments/assessments-page';
import { labOfRequest } from '../lab-of-request';

export const metadata: Metadata = { title: 'OAuth assessments' };

export default async function Page() {
  return <AssessmentsPage lab={await labOfRequest()} />;
}
