import type { Metadata } from 'next';
import { AssessmentsPage } from '@/components/oauth/assessments/assessments-page';
import { requireLab } from '../lab-of-request';

export const metadata: Metadata = { title: 'Assessments' };

export default async function Page() {
  await requireLab();
  return <AssessmentsPage />;
}
