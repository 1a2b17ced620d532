import { getSignInSettings, putSignInSettings } from '@/lib/admin/members/sign-in-settings';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(getSignInSettings, putSignInSettings);
