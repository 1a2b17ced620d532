import { headers } from 'next/headers';
import { clientAddress } from '@/lib/http/client-address';
import { runtime } from '@/lib/runtime';

/** The builder and the audits of the lab are not part of the console yet; its endpoints are there all the same. */
const LAB_PAGES: boolean = false;

/** What the console must know of the installation and of the way this request came. */
export async function readSurroundings(): Promise<{ address: string | null; lab: boolean }> {
  const { config } = await runtime();
  return { address: clientAddress(await headers(), config)?.text ?? null, lab: LAB_PAGES && config.SLUICE_LAB };
}
