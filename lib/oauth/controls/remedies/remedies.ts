import { AUTHORIZATION_REMEDIES } from '@/lib/oauth/controls/remedies/authorization';
import { CODE_REMEDIES } from '@/lib/oauth/controls/remedies/code';
import type { Remedy } from '@/lib/oauth/controls/remedies/remedy';
import { RESOURCE_REMEDIES } from '@/lib/oauth/controls/remedies/resource';
import { TOKEN_REMEDIES } from '@/lib/oauth/controls/remedies/token';
import { TRANSPORT_REMEDIES } from '@/lib/oauth/controls/remedies/transport';

/** Remedy for each control, by id. */
export const REMEDIES: Readonly<Record<string, Remedy>> = {
  ...AUTHORIZATION_REMEDIES,
  ...CODE_REMEDIES,
  ...TOKEN_REMEDIES,
  ...RESOURCE_REMEDIES,
  ...TRANSPORT_REMEDIES,
};
