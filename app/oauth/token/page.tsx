import type { Metadata } from 'next';
import { WorkbenchPage } from '@/components/oauth/token/workbench-page';
import { RESOURCE_CONTROLS } from '@/lib/oauth/lab/controls';
import { loadServices } from '@/lib/process/runtime';
import { requireLabDescription } from '../../(console)/oauth/lab-of-request';

export const metadata: Metadata = { title: 'Token workbench' };

/** Needs no sign-in. Without the lab, tokens cannot be sent to it; all else works. */
export default async function Page() {
  const { config } = await loadServices();
  if (!config.SLUICE_LAB) return <WorkbenchPage lab={null} />;
  const { issuer, audience, keys, controls } = await requireLabDescription();
  const titles = new Map(controls.map(({ id, title }) => [id, title]));
  const switches = RESOURCE_CONTROLS.map((id) => ({ id, title: titles.get(id) ?? id }));
  return <WorkbenchPage lab={{ issuer, audience, keys, switches }} />;
}
