import { getApiKey } from '@/lib/admin/operations/get-api-key';
import { revokeApiKey } from '@/lib/admin/operations/revoke-api-key';
import { updateApiKey } from '@/lib/admin/operations/update-api-key';
import { endpoint } from '@/lib/http/endpoint';
import { runtime } from '@/lib/runtime';

export const dynamic = 'force-dynamic';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = endpoint(
  runtime,
  getApiKey,
  updateApiKey,
  revokeApiKey,
);
