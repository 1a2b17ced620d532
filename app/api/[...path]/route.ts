import { everyMethod } from '@/lib/http/methods';
import { noSuchRoute } from '@/lib/http/no-such-route';

export const dynamic = 'force-dynamic';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = everyMethod(noSuchRoute);
