import { requestOrigin } from '@/lib/http/request-origin';
import { describeClient } from '@/lib/oauth/assessment/client-document';
import { loadServices } from '@/lib/process/runtime';

export const dynamic = 'force-dynamic';

/** Serves the client metadata document of this Sluice to authorization servers. */
export async function GET(request: Request) {
  const { config } = await loadServices();
  return Response.json(describeClient(requestOrigin(request, config)), { headers: { 'Cache-Control': 'no-store' } });
}
