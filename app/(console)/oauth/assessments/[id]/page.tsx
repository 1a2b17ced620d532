import type { Metadata } from 'next';
import { ReportPage } from '@/components/oauth/assessments/report/report-page';

export const metadata: Metadata = { title: 'Assessment' };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  return <ReportPage id={(await params).id} />;
}
