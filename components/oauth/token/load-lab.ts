import { loadPatiently } from '@/components/shell/load-patiently';

/** Loads the code that calls the lab at the first call, because most tokens are only read. */
export const loadLab = loadPatiently(() => import('@/components/oauth/token/call-lab'));
