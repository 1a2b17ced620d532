import { headers } from 'next/headers';
import { notFound } from 'next/navigation';
import { requestOrigin } from '@/lib/http/request-origin';
import { describeLab, type LabDescription } from '@/lib/oauth/describe-lab';
import { loadServices } from '@/lib/process/runtime';

/** Returns the public origin of this installation. */
export async function readPublicOrigin(): Promise<string> {
  const [{ config }, sent] = await Promise.all([loadServices(), headers()]);
  return requestOrigin({ method: 'GET', url: 'http://localhost/', headers: sent }, config);
}

/** Describes the lab at the origin of this request. Answers 404 if the lab is disabled. */
export async function requireLabDescription(): Promise<LabDescription> {
  const { config, labState: state, clock: now, randomBytes: random } = await loadServices();
  if (!config.SLUICE_LAB) notFound();
  return describeLab({ origin: await readPublicOrigin(), state, now, random });
}
