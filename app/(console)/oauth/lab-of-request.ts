import { headers } from 'next/headers';
import { notFound } from 'next/navigation';
import { requestOrigin } from '@/lib/http/request-origin';
import { describeLab, type LabDescription } from '@/lib/oauth/describe-lab';
import { runtime } from '@/lib/process/runtime';

/** The public origin of this installation. */
export async function originOfRequest(): Promise<string> {
  const [{ config }, sent] = await Promise.all([runtime(), headers()]);
  return requestOrigin({ method: 'GET', url: 'http://localhost/', headers: sent }, config);
}

/** The lab as this request reaches it; not found where it is switched off. */
export async function labOfRequest(): Promise<LabDescription> {
  const { config, labState: state, clock: now, randomBytes: random } = await runtime();
  if (!config.SLUICE_LAB) notFound();
  return describeLab({ origin: await originOfRequest(), state, now, random });
}
