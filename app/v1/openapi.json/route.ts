import { readOpenApi } from '@/lib/openapi/read-openapi';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(readOpenApi);
