import { noSuchRoutes } from '@/lib/http/no-such-route';

export const dynamic = 'force-dynamic';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = noSuchRoutes;
