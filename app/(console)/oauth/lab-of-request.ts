import { headers } from 'next/headers';
import { notFound } from 'next/navigation';
import { requestOrigin } from '@/lib/http/request-origin';
import { describeLab, type LabDescription } from '@/lib/oauth/describe-lab';
import { runtime } from '@/lib/process/runtime';

/** The lab as this request reaches it; not found where it is switched off. */
export async function labOfRequest(): Promise<LabDescription> {
  const { config, labState, clock, randomBytes } = await runtime();
  if (!config.SLUICE_LAB) notFound();
  const origin = requestOrigin({ method: 'GET', url: 'http://localhost/', headers: await headers() }, config);
  return describeLab({ origin, state: labState, now: clock, random: randomBytes });
}
