import { createToken } from '@/lib/admin/tokens/create';
import { listTokens } from '@/lib/admin/tokens/list';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(listTokens, createToken);
