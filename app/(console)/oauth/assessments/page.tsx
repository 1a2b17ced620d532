import type { Metadata } from 'next';
import { AssessmentsPage } from '@/components/oauth/assessments/assessments-page';

export const metadata: Metadata = { title: 'Assessments' };

export default function Page() {
  return <AssessmentsPage />;
}
