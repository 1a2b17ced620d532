import type { Area } from '@/lib/oauth/controls/control';

export const AREA_TITLES: Readonly<Record<Area, string>> = {
  authorization: 'Authorization',
  code: 'Code',
  token: 'Token endpoint',
  resource: 'Access token',
  transport: 'Transport',
};
