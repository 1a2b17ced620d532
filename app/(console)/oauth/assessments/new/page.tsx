import type { Metadata } from 'next';
import { NewAssessmentPage } from '@/components/oauth/assessments/new-assessment-page';
import { readPublicOrigin } from '../../lab-of-request';

export const metadata: Metadata = { title: 'New assessment' };

export default async function Page({ searchParams }: { searchParams: Promise<NodeJS.Dict<string | string[]>> }) {
  const [origin, { target }] = await Promise.all([readPublicOrigin(), searchParams]);
  return <NewAssessmentPage origin={origin} target={typeof target === 'string' ? target : null} />;
}
