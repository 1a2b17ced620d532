import { ApiError } from '@/lib/http/api-error';
import type { Context } from '@/lib/operation/context';

/** Refuses where `SLUICE_LAB=off` has taken the lab away. @throws ApiError not_found */
export function requireLab(context: Context): void {
  if (!context.services.config.SLUICE_LAB) throw new ApiError('not_found', 'The OAuth lab is switched off here.');
}
