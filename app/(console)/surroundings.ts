import { headers } from 'next/headers';
import { clientAddress } from '@/lib/http/client-address';
import { runtime } from '@/lib/process/runtime';

interface Surroundings {
  /** Of the browser, as the server sees it. */
  address: string | null;
  lab: boolean;
  /** All data is made up. */
  demo: boolean;
}

/** What the console shell needs to know about the installation and this request. */
export async function readSurroundings(): Promise<Surroundings> {
  const { config } = await runtime();
  const address = clientAddress(await headers(), config)?.text ?? null;
  return { address, lab: config.SLUICE_LAB, demo: config.SLUICE_DEMO };
}
