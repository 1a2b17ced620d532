'use client';

import { PageHeader } from '@/components/shell/page-header';
import type { LabDescription } from '@/lib/oauth/operations/describe-lab';

export function AuditsPage({ lab }: { lab: LabDescription }) {
  return <PageHeader title="OAuth audits" description={`The whole catalogue: ${lab.controls.length} controls.`} />;
}
