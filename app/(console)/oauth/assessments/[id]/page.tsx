import type { Metadata } from 'next';
import { ReportPage } from '@/components/oauth/assessments/report/report-page';
import { requireLab } from '../../lab-of-request';

export const metadata: Metadata = { title: 'Assessment' };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  await requireLab();
  return <ReportPage id={(await params).id} />;
}
