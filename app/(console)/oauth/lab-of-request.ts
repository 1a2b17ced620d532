import { headers } from 'next/headers';
import { notFound } from 'next/navigation';
import { requestOrigin } from '@/lib/http/request-origin';
import { describeLab, type LabDescription } from '@/lib/oauth/describe-lab';
import { runtime } from '@/lib/process/runtime';

/** Not found where the lab is switched off; otherwise the public origin of this installation. */
export async function requireLab() {
  const services = await runtime();
  if (!services.config.SLUICE_LAB) notFound();
  const request = { method: 'GET', url: 'http://localhost/', headers: await headers() };
  return { services, origin: requestOrigin(request, services.config) };
}

/** The lab as this request reaches it; not found where it is switched off. */
export async function labOfRequest(): Promise<LabDescription> {
  const { services, origin } = await requireLab();
  const { labState, clock, randomBytes } = services;
  return describeLab({ origin, state: labState, now: clock, random: randomBytes });
}
