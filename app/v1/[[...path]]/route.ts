import { noSuchRoutes } from '@/lib/http/no-such-route';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = noSuchRoutes;
