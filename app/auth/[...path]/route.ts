import { everyMethod, noSuchRoute } from '@/lib/http/methods';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = everyMethod(noSuchRoute);
