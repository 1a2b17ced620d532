import { mountApi } from '@/lib/api/mount';
import { everyMethod } from '@/lib/http/methods';
import { runtime } from '@/lib/process/runtime';

export const dynamic = 'force-dynamic';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = everyMethod(mountApi(runtime));
