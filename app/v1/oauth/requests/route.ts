import { sendOAuthRequest } from '@/lib/admin/oauth-requests/send';
import { route } from '@/lib/process/route';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(sendOAuthRequest);
