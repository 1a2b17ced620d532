import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { WorkbenchPage } from '@/components/oauth/token/workbench-page';
import { requestOrigin } from '@/lib/http/request-origin';
import { describeLab } from '@/lib/oauth/describe-lab';
import { RESOURCE_CONTROLS } from '@/lib/oauth/lab/controls';
import { runtime } from '@/lib/process/runtime';

export const metadata: Metadata = { title: 'Token workbench' };

/** Needs no sign-in. Without the lab, tokens cannot be sent to it; all else works. */
export default async function Page() {
  const { config, labState, clock, randomBytes } = await runtime();
  if (!config.SLUICE_LAB) return <WorkbenchPage lab={null} />;
  const origin = requestOrigin({ method: 'GET', url: 'http://localhost/', headers: await headers() }, config);
  const lab = { origin, state: labState, now: clock, random: randomBytes };
  const { issuer, audience, keys, controls } = await describeLab(lab);
  const titles = new Map(controls.map(({ id, title }) => [id, title]));
  const switches = RESOURCE_CONTROLS.map((id) => ({ id, title: titles.get(id) ?? id }));
  return <WorkbenchPage lab={{ issuer, audience, keys, switches }} />;
}
